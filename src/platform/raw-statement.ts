import './row-reader.ts';
import { getTableColumns, type InferInsertModel, QueryPromise, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, SQLiteSyncDialect, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from './db.ts';
import type { PreparedQuery } from './prepared-query.ts';

const dialect = new SQLiteSyncDialect();

/**
 * A SQL statement to await or to add to a batch, for what drizzle's builders can't express. (Drizzle's own `db.all` and
 * `db.run` lose their parameters in a D1 batch.) Rows have the names that D1 returns.
 */
export function rawStatement<Row = Record<string, unknown>>(db: Db, query: SQL): PreparedQuery<Row[]> {
  return new RawStatement<Row>(db, query);
}

class RawStatement<Row> extends QueryPromise<Row[]> implements PreparedQuery<Row[]> {
  declare readonly _: PreparedQuery<Row[]>['_'];
  #db: Db & { $client: D1Database };
  #query: SQL;

  constructor(db: Db, query: SQL) {
    super();
    this.#db = db as Db & { $client: D1Database };
    this.#query = query;
  }

  async execute(): Promise<Row[]> {
    const { stmt, getQuery, mapResult } = this._prepare();
    return mapResult(await stmt.bind(...getQuery().params).all());
  }

  /** Drizzle's `batch` calls this method on each query. */
  _prepare() {
    const { sql, params } = dialect.sqlToQuery(this.#query);
    return {
      stmt: this.#db.$client.prepare(sql),
      getQuery: () => ({ sql, params }),
      mapResult: (result: unknown) => (result as { results: Row[] }).results,
    };
  }
}

/**
 * Returns SQL for the values of a row in the order of the table's columns, encoded as drizzle stores them, for a
 * conditional `insert … select`. `computed` replaces values that only the database knows.
 */
export function rowValues<T extends SQLiteTable>(
  table: T,
  row: InferInsertModel<T>,
  computed: Partial<Record<keyof InferInsertModel<T>, SQL>> = {},
): SQL {
  const columns = Object.entries(getTableColumns(table));
  return sql.join(
    columns.map(([name, column]) => {
      const key = name as keyof InferInsertModel<T>;
      return computed[key] ?? sql.param(row[key] ?? null, column);
    }),
    sql`, `,
  );
}

const KEYED = new WeakSet<SQLiteTable>();

/**
 * Marks a table whose migration uses WITHOUT ROWID, which drizzle can't express. Its rows are stored in primary-key
 * order, so that inserting a row counts as one written row instead of two.
 */
export function withoutRowid<T extends SQLiteTable>(table: T): T {
  KEYED.add(table);
  return table;
}

/** Returns whether a table is `withoutRowid`. */
export function isWithoutRowid(table: SQLiteTable): boolean {
  return KEYED.has(table);
}

/** Returns SQL that matches the table's rows that `page` selects by `rowKey`. */
export function isRowOf(table: SQLiteTable, page: SQL): SQL {
  return isWithoutRowid(table) ? sql`(${rowKey(table)}) in ${page}` : sql`rowid in ${page}`;
}

/** Returns SQL for the columns that identify a row: the rowid, or the primary key if there is none. */
export function rowKey(table: SQLiteTable): SQL {
  if (!isWithoutRowid(table)) return sql.raw('rowid');
  const [key] = getTableConfig(table).primaryKeys;
  return sql.raw(key!.columns.map(({ name }) => name).join(', '));
}
