import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { chunksOf, PARAMETER_CHARS_MAX } from '../../platform/chunks.ts';
import { sha256 } from '../../platform/crypto.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { isCopy } from '../accounts/copies.ts';
import type { Context } from '../context.ts';
import { DomainError } from '../errors.ts';
import { moveRefusal } from '../moved.ts';
import type { MovedTable } from './moved-tables.ts';

/** Rows of one page. */
export const PAGE_ROWS = 250;

/** Values of a row, in the order of the table's columns. */
export type Row = (string | number | null)[];

/** The move of an account from one database to another. */
export interface Move {
  accountId: string;
  from: Context;
  to: Context;
}

/** Returns SQL with the account's identifier in place of `:account`. */
export function boundTo(accountId: string, text: string): SQL {
  return sql.join(text.split(':account').map(sql.raw), sql`${accountId}`);
}

/** Returns the SQL condition for the rows of a table that are copied. */
export function rowsOf(table: MovedTable, accountId: string): SQL {
  return boundTo(accountId, table.only === '' ? table.of : `${table.of} and ${table.only}`);
}

/** Builds the statement that reads the values of rows. */
export function readStatement({ db }: Context, table: MovedTable, rest: SQL) {
  const values = table.columns.map((name) => sql.raw(`${table.read[name] ?? `"${name}"`} as "${name}"`));
  return rawStatement<Record<string, Row[number]>>(
    db,
    sql`select ${sql.join(values, sql`, `)} from ${sql.identifier(table.name)} where ${rest}`,
  );
}

/** Converts the results of `readStatement` to rows. */
export function toRows(table: MovedTable, found: Record<string, Row[number]>[]): Row[] {
  return found.map((row) => table.columns.map((name) => row[name] ?? null));
}

/** Returns the columns to write, each with the index of its source value in a row and SQL that uses it as `:value`. */
function written(table: MovedTable): { name: string; at: number; value: string }[] {
  const copied = table.columns.map((name, at) => ({ name, at, value: table.write[name] ?? ':value' }));
  const at = table.columns.indexOf(table.alsoOf ?? '');
  return [...copied, ...Object.entries(table.also).map(([name, value]) => ({ name, at, value }))];
}

const withValue = (text: string, value: SQL) => sql.join(text.split(':value').map(sql.raw), value);

/**
 * Builds the statements that store rows. `further` adds a first column, computed from the value that follows the
 * table's own values in each row. `onConflict` is the SQL clause for rows that exist.
 */
export function writeStatements(
  { db }: Context,
  table: MovedTable,
  rows: Row[],
  { onConflict = sql``, further }: { onConflict?: SQL; further?: { name: string; value: (of: SQL) => SQL } } = {},
): BatchItem<'sqlite'>[] {
  const columns = written(table);
  const names = [...(further ? [further.name] : []), ...columns.map(({ name }) => name)];
  const into = sql`insert into ${sql.identifier(table.name)} (${sql.join(names.map(sql.identifier), sql`, `)})`;
  const valuesOf = (of: (at: number) => SQL) => {
    const own = columns.map(({ at, value }) => withValue(value, of(at)));
    return sql.join(further ? [further.value(of(table.columns.length)), ...own] : own, sql`, `);
  };
  const texts = rows.map((row) => ({ row, text: JSON.stringify(row) }));
  return chunksOf(texts, PARAMETER_CHARS_MAX, ({ text }) => text.length + 1).map((chunk) => {
    const [first] = chunk;
    // A row that is too long for one parameter gets one parameter per value.
    if (chunk.length === 1 && first!.text.length > PARAMETER_CHARS_MAX) {
      return rawStatement(
        db,
        sql`${into} select ${valuesOf((at) => sql`${first!.row[at] ?? null}`)} where true ${onConflict}`,
      );
    }
    const list = `[${chunk.map(({ text }) => text)}]`;
    const ofRow = (at: number) => sql.raw(`row.value ->> ${at}`);
    return rawStatement(
      db,
      sql`${into} select ${valuesOf(ofRow)} from json_each(${list}) as row where true ${onConflict}`,
    );
  });
}

/** Returns the conflict clause that overwrites an existing row with the new values. */
export function takeNewValues(table: MovedTable): SQL {
  const key = sql.raw(table.key.map((name) => `"${name}"`).join(', '));
  const changed = table.columns.filter((name) => !table.key.includes(name));
  if (changed.length === 0) return sql`on conflict (${key}) do nothing`;
  const set = changed.map((name) => sql.raw(`"${name}" = excluded."${name}"`));
  return sql`on conflict (${key}) do update set ${sql.join(set, sql`, `)}`;
}

/** Returns the SQL condition for rows with one of these keys. */
function isNamed(table: MovedTable, keys: Row[]): SQL {
  const names = table.key.map((name) => `"${name}"`).join(', ');
  const values = table.key.map((_, i) => `named.value ->> ${i}`).join(', ');
  return sql`(${sql.raw(names)}) in (select ${sql.raw(values)} from json_each(${JSON.stringify(keys)}) as named)`;
}

/** Runs statements in one batch; the list may be empty. */
export async function inBatch({ db }: Context, statements: BatchItem<'sqlite'>[]): Promise<unknown[]> {
  return statements.length === 0 ? [] : db.batch(statements as [BatchItem<'sqlite'>]);
}

/** Creates the error of a command after another one took over its move. */
export function takenOverRefusal(): DomainError {
  return new DomainError('conflict', 'Another command is already working on this move');
}

/**
 * Runs statements in one batch. If `condition` doesn't hold, another command took over: then the batch changes nothing
 * and throws `conflict`.
 */
export async function inBatchIf(ctx: Context, condition: SQL, statements: BatchItem<'sqlite'>[]): Promise<unknown[]> {
  // SQL can end a batch only with an error.
  const guard = rawStatement(ctx.db, sql`select json(iif(${condition}, '{}', 'taken over')) as guard`);
  try {
    const [, ...results] = await inBatch(ctx, [guard, ...statements]);
    return results;
  } catch (error) {
    const isOver = error instanceof Error && /malformed JSON/.test(`${error.message} ${error.cause}`);
    // The triggers refuse writes if the account has even moved back.
    if (isOver || moveRefusal(error)) throw takenOverRefusal();
    throw error;
  }
}

/** Runs statements in one batch in the target, as long as the account's row there is a copy. */
export function inCopy({ to, accountId }: Move, statements: BatchItem<'sqlite'>[]): Promise<unknown[]> {
  return inBatchIf(to, isCopy(accountId), statements);
}

/** One of the two databases of a move. */
export type Side = 'from' | 'to';

/** Rows as a statement returns them. */
export type Found = Record<string, Row[number]>[];

/** Rows that are copied and compared together. Several parts share each round trip. */
export interface Part {
  /** Builds the statements that read the rows in a database. */
  read(side: Side): BatchItem<'sqlite'>[];
  /** For each of these statements: the table, and how to convert the result. */
  lists: { name: string; toRows(found: Found): Row[] }[];
  /** Builds the statements that replace the copy with these rows, one list for each statement of `read`. */
  write(rows: Row[][]): BatchItem<'sqlite'>[];
  /** For what the target derives from the rows: a query that runs after `write`, and the statements that follow it. */
  derived?: { query: BatchItem<'sqlite'>; write(found: unknown): BatchItem<'sqlite'>[] };
}

/** Returns the rows with these keys: changed, new or deleted. */
export function namedRows(move: Move, table: MovedTable, keys: Row[]): Part {
  const { accountId, to } = move;
  const isOwn = (named: Row[]) => sql`${isNamed(table, named)} and ${rowsOf(table, accountId)}`;
  // Rows that belong to the account through another row may be copied before it, so their keys alone select them.
  const isTarget = (named: Row[]) => (table.hasAccount ? isOwn(named) : isNamed(table, named));
  return {
    read: (side) => [readStatement(move[side], table, side === 'from' ? isOwn(keys) : isTarget(keys))],
    lists: [{ name: table.name, toRows: (found) => toRows(table, found) }],
    write: ([rows]) => {
      const key = (row: Row) => JSON.stringify(table.key.map((name) => row[table.columns.indexOf(name)]));
      const present = new Set(rows!.map(key));
      const gone = keys.filter((one) => !present.has(JSON.stringify(one)));
      return [
        ...(gone.length > 0
          ? [rawStatement(to.db, sql`delete from ${sql.identifier(table.name)} where ${isTarget(gone)}`)]
          : []),
        ...writeStatements(to, table, rows!, { onConflict: takeNewValues(table) }),
      ];
    },
  };
}

/** Returns all rows of a small table. */
export function wholeTable(move: Move, table: MovedTable): Part {
  const isTarget = rowsOf(table, move.accountId);
  return {
    read: (side) => [readStatement(move[side], table, isTarget)],
    lists: [{ name: table.name, toRows: (found) => toRows(table, found) }],
    write: ([rows]) => [
      rawStatement(move.to.db, sql`delete from ${sql.identifier(table.name)} where ${isTarget}`),
      ...writeStatements(move.to, table, rows!),
    ],
  };
}

export const readStatements = (parts: Part[], side: Side) => parts.flatMap((part) => part.read(side));

/** Converts the results of `readStatements` to rows, by part and statement. */
export function rowsIn(parts: Part[], results: unknown[]): Row[][][] {
  let next = 0;
  return parts.map(({ lists }) => lists.map((list) => list.toRows(results[next++] as Found)));
}

/**
 * Writes rows to the copy and reads them back, in one batch. Returns the results of `behind`, which commits with it.
 * Throws `conflict` if they differ.
 */
export async function writeParts(
  move: Move,
  parts: Part[],
  rows: Row[][][],
  behind: BatchItem<'sqlite'>[] = [],
): Promise<unknown[]> {
  const writes = parts.flatMap((part, i) => part.write(rows[i]!));
  const reads = readStatements(parts, 'to');
  const results = (await inCopy(move, [...writes, ...reads, ...behind])).slice(writes.length);
  const written = rowsIn(parts, results);
  for (const [i, { lists }] of parts.entries()) {
    for (const [j, list] of lists.entries()) requireSame(list.name, rows[i]![j]!, written[i]![j]!);
  }
  return results.slice(reads.length);
}

/**
 * Brings the copies of rows up to date: a round trip for each database. Returns the statements that then derive rows
 * from them.
 */
export async function syncRows(move: Move, parts: Part[]): Promise<BatchItem<'sqlite'>[]> {
  if (parts.length === 0) return [];
  const rows = rowsIn(parts, await inBatch(move.from, readStatements(parts, 'from')));
  const derived = parts.flatMap((part) => part.derived ?? []);
  const behind = derived.map(({ query }) => query);
  const found = await writeParts(move, parts, rows, behind);
  return derived.flatMap(({ write }, i) => write(found[i]));
}

/** Brings the copies of rows up to date, with what the target derives from them. */
export async function sync(move: Move, parts: Part[]): Promise<void> {
  const following = await syncRows(move, parts);
  if (following.length > 0) await inCopy(move, following);
}

/** Returns the parts whose rows have different hashes in the two databases, which answer at the same time. */
export async function findDiffering(move: Move, parts: Part[]): Promise<Part[]> {
  if (parts.length === 0) return [];
  const sides: Side[] = ['from', 'to'];
  const [there, here] = await Promise.all(
    sides.map(async (side) => {
      const rows = rowsIn(parts, await inBatch(move[side], readStatements(parts, side)));
      return Promise.all(rows.map((lists) => sha256(JSON.stringify(lists.map(inOrder)))));
    }),
  );
  return parts.filter((_, i) => there![i] !== here![i]);
}

const inOrder = (rows: Row[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** Throws `conflict` unless both databases have the same rows, in any order. */
function requireSame(name: string, there: Row[], here: Row[]): void {
  if (JSON.stringify(inOrder(there)) === JSON.stringify(inOrder(here))) return;
  throw new DomainError(
    'conflict',
    `The copy of ${name} differs; the account is unchanged. Run the command again, or undo the move`,
  );
}
