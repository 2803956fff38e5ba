import { type SQL, sql } from 'drizzle-orm';
import { chunksOf, PARAMETER_CHARS_MAX, slicesOf } from '../../platform/chunks.ts';
import { sha256 } from '../../platform/crypto.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Context } from '../context.ts';
import { invalidField } from '../errors.ts';
import { PAGE_ROWS } from '../purge.ts';

/*
 * Every table but the search index, which is built again, in pages for a backup. A row travels as JSON that SQLite
 * itself writes and reads, so that no value passes through a JavaScript number.
 */

/** "Maximum number of arguments per SQL function" (D1, Limits): a row is a list of lists of so many values. */
const FUNCTION_ARGUMENTS_MAX = 32;
/** A page ends before it has more, unless its first row has: an isolate has 128 MB. */
const PAGE_CHARS_MAX = 4_000_000;

/** Those of SQLite, of D1, and of the search index, and the data points of a local service. */
const OTHERS = sql`name not glob 'sqlite_*' and name not glob '_cf_*' and name <> 'd1_migrations'
  and name not glob 'pass_term*' and name <> 'metric_points'`;

/** What a backup has to know of a database before it reads a row. */
export interface DatabaseFacts {
  tables: string[];
  /** Digest of the tables' definitions: a backup goes back into a database of the same release. */
  schema: string;
  /** The highest key of a pass: later ones are left out, because rows that belong to them were read before. */
  lastPassKey: number;
  /** Highest numbers that were ever given, by table; see SQLite, "AUTOINCREMENT". */
  sequences: Record<string, number>;
  /** Whether it has an account. */
  hasData: boolean;
}

/** Rows of one table: each is the JSON of lists of its values, in the order of `columns`. */
export interface RowPage {
  columns: string[];
  rows: string[];
  /** The place of its last row, as JSON, behind which the next page begins; null: there are no more. */
  next: string | null;
}

/** Looks at the database as a whole; one round trip. */
export async function describeDatabase(ctx: Context): Promise<DatabaseFacts> {
  const [tables, sequences, [state]] = await ctx.db.batch([
    rawStatement<{ name: string; sql: string }>(
      ctx.db,
      sql`select name, sql from sqlite_master where type = 'table' and ${OTHERS} order by name`,
    ),
    rawStatement<{ name: string; seq: number }>(ctx.db, sql`select name, seq from sqlite_sequence`),
    rawStatement<{ last: number; used: number }>(
      ctx.db,
      sql`select coalesce((select max(key) from passes), 0) as last, exists (select 1 from accounts) as used`,
    ),
  ]);
  return {
    tables: tables.map(({ name }) => name),
    schema: await sha256(JSON.stringify(tables)),
    lastPassKey: state!.last,
    sequences: Object.fromEntries(sequences.map(({ name, seq }) => [name, seq])),
    hasData: state!.used === 1,
  };
}

/**
 * A page of a table in the order in which it is stored, by row number or by its key: at most 1,000 rows, behind the
 * place `after` (absent: from the first one on) and up to the row number `upTo`.
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

/** The values of a place. */
function valuesIn(place: string): SQL[] {
  return (JSON.parse(place) as (string | number)[]).map((value) => sql`${value}`);
}

/** Stores rows of a page; those that are stored already stay, so a page may come twice. */
export async function insertRows(
  ctx: Context,
  { table, columns, rows }: { table: string; columns: string[]; rows: string[] },
): Promise<void> {
  const { columns: known, blobs } = await shapeOf(ctx, table);
  if (columns.length !== known.length || columns.some((name) => !known.includes(name))) {
    throw invalidField('columns', `must be those of ${table}`);
  }
  const into = sql`insert into ${sql.identifier(table)} (${joined(columns.map((name) => sql.identifier(name)))})`;
  const statements = chunksOf(rows, PARAMETER_CHARS_MAX).map((chunk) => {
    const [first = '[]'] = chunk;
    const isLarge = first.length > PARAMETER_CHARS_MAX;
    const isBlob = columns.map((name) => blobs.has(name));
    const source = isLarge ? valuesOf(first, isBlob) : fromJson(isBlob, `[${chunk}]`);
    return rawStatement(ctx.db, sql`${into} ${source} on conflict do nothing`);
  });
  const [head, ...others] = statements;
  if (head) await ctx.db.batch([head, ...others]);
}

/** Deletes up to 1,000 rows of a table, and returns how many. */
export async function clearRows(ctx: Context, table: string): Promise<number> {
  const key = joined((await shapeOf(ctx, table)).key);
  const name = sql.identifier(table);
  const deleted = await rawStatement(
    ctx.db,
    sql`delete from ${name} where (${key}) in (select ${key} from ${name} limit ${PAGE_ROWS}) returning 1 as deleted`,
  );
  return deleted.length;
}

/** Rows of each table, for the check at the end; reads all of them. */
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

/** Lets the numbers that were ever given go on where they were. */
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
  /** What its rows are ordered by: the row number, or the primary key where there is none. */
  key: Name[];
}

type Name = ReturnType<typeof sql.identifier>;

/** The shape of a table; also what keeps a name that is none of a table out of a statement. */
async function shapeOf(ctx: Context, table: string): Promise<Shape> {
  const found = await rawStatement<{ name: string; type: string; place: number; hasRowid: number }>(
    ctx.db,
    sql`select name, type, pk as place, (select sql not like '%without rowid' from sqlite_master where type = 'table'
        and sqlite_master.name = ${table}) as "hasRowid" from pragma_table_info(${table})
      where exists (select 1 from sqlite_master where type = 'table' and sqlite_master.name = ${table} and ${prefixed()})`,
  );
  if (found.length === 0) throw invalidField('table', 'must be the name of a table that backups hold');
  const inKey = found.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place);
  const names = found[0]!.hasRowid ? ['rowid'] : inKey.map(({ name }) => name);
  const blobs = new Set(found.flatMap(({ name, type }) => (type.toLowerCase() === 'blob' ? name : [])));
  return { columns: found.map(({ name }) => name), blobs, key: names.map((name) => sql.identifier(name)) };
}

function prefixed(): SQL {
  return sql`sqlite_master.name in (select name from sqlite_master where ${OTHERS})`;
}

/** The values of rows that stand in one parameter. */
function fromJson(isBlob: boolean[], rows: string): SQL {
  const values = isBlob.map((isOne, i) => {
    const [group, place] = [Math.floor(i / FUNCTION_ARGUMENTS_MAX), i % FUNCTION_ARGUMENTS_MAX];
    const value = sql`(value ->> ${sql.raw(`'$[${group}][${place}]'`)})`;
    return isOne ? textAsBlob(value) : value;
  });
  return sql`select ${joined(values)} from json_each(${rows}) where true`;
}

/** The values of a row that is too long for that: each is a parameter. */
function valuesOf(row: string, isBlob: boolean[]): SQL {
  const values = (JSON.parse(row) as unknown[][]).flat();
  return sql`values (${joined(values.map((value, i) => (isBlob[i] ? textAsBlob(sql`${value}`) : sql`${value}`)))})`;
}

/** SQL for a value of a blob column, which may be a text, as a text: JSON has no bytes. */
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
