import { type SQL, sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX, slicesOf } from '../../platform/chunks.ts';
import { sha256 } from '../../platform/crypto.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accountMoves } from '../account-moves/table.ts';
import type { Context } from '../context.ts';
import { invalidField } from '../errors.ts';
import { PAGE_ROWS } from '../purge.ts';

/*
 * Reads and writes the tables in pages for a backup, except the search index, which is rebuilt. SQLite itself writes
 * and reads the JSON of a row, so no value passes through a JavaScript number.
 */

/** "Maximum number of arguments per SQL function" (D1, Limits): a row is a list of lists of this many values. */
const FUNCTION_ARGUMENTS_MAX = 32;
/** Characters of a page, unless its first row alone has more: an isolate has 128 MB. */
const PAGE_CHARS_MAX = 4_000_000;

/** Excludes the tables of SQLite, D1 and the search index, and the data points of a local service. */
const OTHERS = sql`name not glob 'sqlite_*' and name not glob '_cf_*' and name <> 'd1_migrations'
  and name not glob 'pass_term*' and name <> 'metric_points'`;

/** What a backup needs to know about a database before it reads rows. */
export interface DatabaseFacts {
  tables: string[];
  /** Digest of the table definitions: a backup can be restored only into a database of the same release. */
  schema: string;
  /** The highest pass key. Later passes are left out, because tables with their rows were read before. */
  lastPassKey: number;
  /** The highest number ever assigned, by table; see SQLite, "AUTOINCREMENT". */
  sequences: Record<string, number>;
  /** Whether it has an account. */
  hasData: boolean;
  /** Moves of accounts away from it within the last day, and whether one is under way. */
  moves: string[];
  isMoving: boolean;
}

/** Rows of one table. Each is a JSON list of lists of its values, in the order of `columns`. */
export interface RowPage {
  columns: string[];
  rows: string[];
  /** The place of the last row, as JSON, after which the next page begins; null: there are no more. */
  next: string | null;
}

/** Describes the database. One round trip. */
export async function describeDatabase(ctx: Context): Promise<DatabaseFacts> {
  const [tables, sequences, [state], moves] = await ctx.db.batch([
    rawStatement<{ name: string; sql: string }>(
      ctx.db,
      sql`select name, sql from sqlite_master where type = 'table' and ${OTHERS} order by name`,
    ),
    rawStatement<{ name: string; seq: number }>(ctx.db, sql`select name, seq from sqlite_sequence`),
    rawStatement<{ last: number; used: number }>(
      ctx.db,
      sql`select coalesce((select max(key) from passes), 0) as last, exists (select 1 from accounts) as used`,
    ),
    ctx.db.select().from(accountMoves),
  ]);
  return {
    tables: tables.map(({ name }) => name),
    schema: await sha256(JSON.stringify(tables)),
    lastPassKey: state!.last,
    sequences: Object.fromEntries(sequences.map(({ name, seq }) => [name, seq])),
    hasData: state!.used === 1,
    moves: moves.map(({ accountId, startedAt }) => `${accountId} ${startedAt}`),
    isMoving: moves.some(({ step }) => step !== 'moved'),
  };
}

/**
 * Reads at most 1,000 rows of a table in the order of its primary key, so that a row that is deleted and inserted again
 * meanwhile isn't read twice. `after` is the place before the first row (absent: from the start), `upTo` the last row
 * number.
 */
export async function readRows(
  ctx: Context,
  { table, after, upTo }: { table: string; after?: string; upTo?: number },
): Promise<RowPage> {
  const { columns, blobs, key } = await shapeOf(ctx, table);
  const order = joined(key);
  const aliases = key.map((_, i) => sql.raw(`key${i}`));
  const places = joined(aliases);
  const groups = slicesOf(columns, FUNCTION_ARGUMENTS_MAX).map(
    (names) =>
      sql`json_array(${joined(names.map((name) => (blobs.has(name) ? blobAsText(name) : sql.identifier(name))))})`,
  );
  const row = sql`'[' || ${sql.join(groups, sql` || ',' || `)} || ']'`;
  const isBehind = after === undefined ? sql`true` : sql`(${order}) > (${joined(valuesIn(after))})`;
  const end = upTo === undefined ? sql`` : sql` and rowid <= ${upTo}`;
  const found = await rawStatement<{ place: string; row: string }>(
    ctx.db,
    sql`select place, row from (select number, place, row, sum(length(row)) over (order by number) as chars from
      (select row_number() over (order by ${places}) as number, json_array(${places}) as place, row from
        (select ${joined(key.map((name, i) => sql`${name} as ${aliases[i]}`))}, ${row} as row
          from ${sql.identifier(table)} where ${isBehind}${end} order by ${order} limit ${PAGE_ROWS})))
      where chars <= ${PAGE_CHARS_MAX} or chars = length(row) order by number`,
  );
  return { columns, rows: found.map((page) => page.row), next: found.at(-1)?.place ?? null };
}

/** Parses a place into its values. */
function valuesIn(place: string): SQL[] {
  return (JSON.parse(place) as (string | number)[]).map((value) => sql`${value}`);
}

/**
 * Stores the rows of a page, which can be stored twice. A row that changed during the backup can have the key of an
 * earlier row, or a value that must be unique. The later row wins.
 */
export async function insertRows(
  ctx: Context,
  { table, columns, rows }: { table: string; columns: string[]; rows: string[] },
): Promise<void> {
  const { columns: known, blobs, key } = await shapeOf(ctx, table);
  if (columns.length !== known.length || columns.some((name) => !known.includes(name))) {
    throw invalidField('columns', `must be those of ${table}`);
  }
  const isBlob = columns.map((name) => blobs.has(name));
  const names = joined(columns.map((name) => sql.identifier(name)));
  const set = joined(columns.map((name) => sql`${sql.identifier(name)} = excluded.${sql.identifier(name)}`));
  const sources = chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) => {
    const [first = '[]'] = chunk;
    return first.length > PARAMETER_CHARS_MAX ? valuesOf(first, isBlob) : fromJson(isBlob, `[${chunk}]`);
  });
  const insertOf = (source: SQL) =>
    sql`insert into ${sql.identifier(table)} (${names}) ${source} on conflict (${joined(key)}) do update set ${set}`;
  try {
    await runAll(ctx, sources.map(insertOf));
  } catch (error) {
    if (!isConflict(error)) throw error;
    const indexes = await uniqueIndexesOf(ctx, table);
    const makeWay = (source: SQL) =>
      indexes.map((index) => makeWayIn(index, { table, key, stored: sql`with stored (${names}) as (${source})` }));
    await runAll(
      ctx,
      sources.flatMap((source) => [...makeWay(source), insertOf(source)]),
    );
  }
}

async function runAll(ctx: Context, queries: SQL[]): Promise<void> {
  const [head, ...others] = queries.map((query) => rawStatement(ctx.db, query));
  if (head) await ctx.db.batch([head, ...others]);
}

/** Whether a statement failed because of a unique index other than the primary key. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && `${error.message} ${String(error.cause)}`.includes('UNIQUE constraint failed');
}

/** How earlier rows give up a unique value, in tables whose rows must not get lost. In others, they are deleted. */
const GIVEN_UP: Record<string, SQL> = {
  signing_keys: sql`active = 0`,
  templates: sql`user_provided_id = null`,
};

/** A unique index: its columns and the condition of its rows. */
type UniqueIndex = Record<'columns' | 'condition', SQL>;

/** Returns the unique indexes of a table, except its primary key. */
async function uniqueIndexesOf(ctx: Context, table: string): Promise<UniqueIndex[]> {
  const found = await rawStatement<{ definition: string }>(
    ctx.db,
    sql`select sql as definition from sqlite_master
      where type = 'index' and tbl_name = ${table} and sql like 'create unique index%'`,
  );
  return found.map(({ definition }) => {
    const [begin, end] = [definition.indexOf('('), definition.indexOf(')')];
    const [, condition = 'true'] = definition.slice(end + 1).split(/\bwhere\b/i);
    return { columns: sql.raw(definition.slice(begin + 1, end)), condition: sql.raw(condition) };
  });
}

/** Builds the statement that takes the unique values of the rows in `stored` from other rows. */
function makeWayIn(
  { columns, condition }: UniqueIndex,
  { table, key, stored }: { table: string; key: Name[]; stored: SQL },
): SQL {
  const name = sql.identifier(table);
  const change = GIVEN_UP[table] ? sql`update ${name} set ${GIVEN_UP[table]}` : sql`delete from ${name}`;
  return sql`${stored} ${change} where (${columns}) in (select ${columns} from stored where ${condition})
    and ${condition} and (${joined(key)}) not in (select ${joined(key)} from stored)`;
}

/** Deletes up to 1,000 rows of a table. Returns how many. */
export async function clearRows(ctx: Context, table: string): Promise<number> {
  const key = joined((await shapeOf(ctx, table)).key);
  const name = sql.identifier(table);
  const deleted = await rawStatement(
    ctx.db,
    sql`delete from ${name} where (${key}) in (select ${key} from ${name} limit ${PAGE_ROWS}) returning 1 as deleted`,
  );
  return deleted.length;
}

/** Counts the rows of each table for the final check; reads all of them. */
export async function countRows(ctx: Context, tables: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    await shapeOf(ctx, table);
    const [row] = await rawStatement<{ rows: number }>(
      ctx.db,
      sql`select count(*) as rows from ${sql.identifier(table)}`,
    );
    counts[table] = row!.rows;
  }
  return counts;
}

/** Sets the last assigned numbers, so that numbering continues from there. */
export async function setSequences(ctx: Context, sequences: Record<string, number>): Promise<void> {
  for (const [table, seq] of Object.entries(sequences)) {
    await rawStatement(ctx.db, sql`delete from sqlite_sequence where name = ${table}`);
    await rawStatement(ctx.db, sql`insert into sqlite_sequence (name, seq) values (${table}, ${seq})`);
  }
}

/** How a table is stored. */
interface Shape {
  columns: string[];
  blobs: Set<string>;
  /** Columns that order the rows: the primary key, or the row number of a table without one. */
  key: Name[];
}

type Name = ReturnType<typeof sql.identifier>;

/** Returns the shape of a table. Throws `invalid` for any other name, which keeps it out of statements. */
async function shapeOf(ctx: Context, table: string): Promise<Shape> {
  const found = await rawStatement<{ name: string; type: string; place: number }>(
    ctx.db,
    sql`select name, type, pk as place from pragma_table_info(${table})
      where exists (select 1 from sqlite_master where type = 'table' and sqlite_master.name = ${table}
        and sqlite_master.name in (select name from sqlite_master where ${OTHERS}))`,
  );
  if (found.length === 0) throw invalidField('table', 'must be the name of a table that backups contain');
  const inKey = found.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place);
  const names = inKey.length > 0 ? inKey.map(({ name }) => name) : ['rowid'];
  const blobs = new Set(found.flatMap(({ name, type }) => (type.toLowerCase() === 'blob' ? name : [])));
  return { columns: found.map(({ name }) => name), blobs, key: names.map((name) => sql.identifier(name)) };
}

/** Builds the query for rows that are passed in one parameter. */
function fromJson(isBlob: boolean[], rows: string): SQL {
  const values = isBlob.map((isOne, i) => {
    const [group, place] = [Math.floor(i / FUNCTION_ARGUMENTS_MAX), i % FUNCTION_ARGUMENTS_MAX];
    const value = sql`(value ->> ${sql.raw(`'$[${group}][${place}]'`)})`;
    return isOne ? textAsBlob(value) : value;
  });
  return sql`select ${joined(values)} from json_each(${rows}) where true`;
}

/** Builds the values of a row that is too long for that: each is a parameter. */
function valuesOf(row: string, isBlob: boolean[]): SQL {
  const values = (JSON.parse(row) as unknown[][]).flat();
  return sql`values (${joined(values.map((value, i) => (isBlob[i] ? textAsBlob(sql`${value}`) : sql`${value}`)))})`;
}

/** Returns SQL that encodes the value of a blob column, a blob or text, as text: JSON can't hold bytes. */
function blobAsText(column: string): SQL {
  const name = sql.identifier(column);
  return sql`iif(typeof(${name}) = 'blob', 'x' || hex(${name}), 't' || ${name})`;
}

function textAsBlob(value: SQL): SQL {
  return sql`iif(substr(${value}, 1, 1) = 'x', unhex(substr(${value}, 2)), substr(${value}, 2))`;
}

function joined(parts: (SQL | ReturnType<typeof sql.identifier>)[]): SQL {
  return sql.join(parts, sql`, `);
}
