import { sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { sha256 } from '../../platform/crypto.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { DomainError } from '../errors.ts';
import {
  inBatch,
  inCopy,
  isNamed,
  type Move,
  type Row,
  readStatement,
  rowsOf,
  takeNewValues,
  toRows,
  writeStatements,
} from './copy-rows.ts';
import type { MovedTable } from './moved-tables.ts';

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
