import { QueryPromise, type SQL } from 'drizzle-orm';
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
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
