import { sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { chunksOf } from '../../platform/chunks.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { queryRow } from '../accounts/copies.ts';
import type { Account } from '../accounts/table.ts';
import { alignCounts, countedUpTo } from '../statistics/fold-counts.ts';
import { savePlace } from './claim-move.ts';
import {
  applyChanges,
  CHANGES_AT_ONCE,
  changedRows,
  compareChanges,
  queryChanges,
  queryCounts,
} from './copy-account.ts';
import {
  findDiffering,
  inBatch,
  inCopy,
  type Move,
  namedRows,
  type Part,
  readStatements,
  rowsIn,
  rowsOf,
  sync,
  syncRows,
  takenOverRefusal,
  wholeTable,
  writeParts,
} from './copy-rows.ts';
import { removeTable, undoDeleted } from './end-moves.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { block, seal, switchOver, unblock } from './switch-account.ts';
import type { AccountChange } from './table.ts';
import { unwatchCopy } from './triggers.ts';

/** If a round finds fewer changes than this, writes are refused and the rest is copied. */
const FEW_CHANGES = 100;
const ROUNDS_MAX = 100;
/** Characters of small tables that one batch reads. */
const BATCH_CHARS_MAX = 4_000_000;
const COUNTED = [...STREAMED, ...OF_PASSES];

/** The block on writes ended before the work was done. */
class BlockOver extends Error {}

/** Small tables that share a round trip. */
interface Group {
  tables: MovedTable[];
  parts: Part[];
}

/** What the copy of the last rows has found. */
interface LastCopy {
  account: Account;
  /** Number of rows by table. */
  rows: Record<string, number>;
  /** Tables whose numbers of rows differ. */
  differing: MovedTable[];
  /** Changes of the copy that were not compared. */
  changes: AccountChange[];
}

/**
 * Copies the last changes while writes are refused, compares, and switches. Returns false if rows differ and must be
 * compared again, or if it took too long. The round trips in which writes are refused don't grow with the tables.
 */
export async function completeMove(move: Move, claim: string, target: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const applied = await applyChanges(move, claim);
    if (Math.max(applied, await compareChanges(move)) < FEW_CHANGES) break;
  }
  const groups = await groupSmallTables(move);
  let account: Account;
  try {
    const last = await copyLast(move, claim, groups);
    account = last.account;
    if (!(await isCopySame(move, claim, last))) return false;
    if (!(await seal(move, claim, last.rows))) return false;
  } catch (error) {
    if (error instanceof BlockOver) return false;
    await unblock(move, claim);
    throw error;
  }
  await switchOver(move, target, account);
  return true;
}

/** Groups the small tables by the size of the account's rows, so that one batch reads a bounded amount. */
async function groupSmallTables(move: Move): Promise<Group[]> {
  const { from, accountId } = move;
  const queries = COPIED_LAST.map((table) => {
    const chars = table.columns.map((name) => `coalesce(length("${name}"), 0)`).join(' + ');
    const all = sql`select coalesce(sum(${sql.raw(chars)}), 0) as chars from ${sql.identifier(table.name)}`;
    return rawStatement<{ chars: number }>(from.db, sql`${all} where ${rowsOf(table, accountId)}`);
  });
  const sizes = (await inBatch(from, queries)) as { chars: number }[][];
  const sized = COPIED_LAST.map((table, i) => ({ table, chars: sizes[i]![0]!.chars }));
  return chunksOf(sized, BATCH_CHARS_MAX, ({ chars }) => chars).map((some) => {
    const tables = some.map(({ table }) => table);
    return { tables, parts: tables.map((table) => partOf(move, table)) };
  });
}

function partOf(move: Move, table: MovedTable): Part {
  // Updated in place: the row of the account keeps its mark as a copy until the account lives there.
  return table.name === 'accounts' ? namedRows(move, table, [[move.accountId]]) : wholeTable(move, table);
}

/** Runs statements in the batch that begins or extends the block on writes. */
async function inBlock(move: Move, claim: string, isFirst: boolean, statements: BatchItem<'sqlite'>[]) {
  const results = await block(move, claim, isFirst, statements);
  if (results) return results;
  throw isFirst ? takenOverRefusal() : new BlockOver();
}

/** Blocks writes, and copies the last changes and the small tables. Then it counts the rows on both sides. */
async function copyLast(move: Move, claim: string, groups: Group[]): Promise<LastCopy> {
  const { from, to, accountId } = move;
  const [accountRows, changes, counted, ...read] = await inBlock(move, claim, true, [
    queryRow(from, accountId),
    queryChanges(from, accountId),
    countedUpTo(from),
    ...readStatements(groups[0]!.parts, 'from'),
  ]);
  const [account] = accountRows as Account[];
  // Until the block ends, nobody can delete the account.
  if (!account) return undoDeleted(move);
  const derived = await applyLast(move, claim, changes as AccountChange[]);
  const small: Record<string, number> = {};
  const copyGroup = ({ tables, parts }: Group, results: unknown[], behind: BatchItem<'sqlite'>[] = []) => {
    const rows = rowsIn(parts, results);
    for (const [i, { name }] of tables.entries()) small[name] = rows[i]![0]!.length;
    return writeParts(move, parts, rows, behind);
  };
  let found = read;
  for (const [i, next] of groups.slice(1).entries()) {
    await copyGroup(groups[i]!, found);
    found = await inBlock(move, claim, false, readStatements(next.parts, 'from'));
  }
  const [{ last } = { last: '' }] = counted as { last: string }[];
  const following = [alignCounts(to, accountId, last), ...derived];
  const [there, behind] = await Promise.all([
    inBatch(from, queryCounts(move, COUNTED, 'from')),
    copyGroup(groups.at(-1)!, found, [...following, ...queryCounts(move, COUNTED, 'to'), queryChanges(to, accountId)]),
  ]);
  const { rows, differing } = compareCounts(there, behind.slice(following.length, -1));
  return { account, rows: { ...rows, ...small }, differing, changes: behind.at(-1) as AccountChange[] };
}

/** Copies rows that changed until writes were blocked. Returns the statements that then derive rows from them. */
async function applyLast(move: Move, claim: string, first: AccountChange[]): Promise<BatchItem<'sqlite'>[]> {
  const derived: BatchItem<'sqlite'>[] = [];
  for (let changes = first; changes.length > 0; ) {
    derived.push(...(await syncRows(move, changedRows(move, changes))));
    if (changes.length < CHANGES_AT_ONCE) break;
    const further = queryChanges(move.from, move.accountId, changes.at(-1)!.number);
    changes = (await inBlock(move, claim, false, [further]))[0] as AccountChange[];
  }
  return derived;
}

/** Compares the results of `queryCounts`. Returns the rows by table, and the tables that differ. */
function compareCounts(there: unknown[], here: unknown[]): Pick<LastCopy, 'rows' | 'differing'> {
  const numbers = (results: unknown[]) => (results as { rows: number }[][]).map(([row]) => row!.rows);
  const [expected, copied] = [numbers(there), numbers(here)];
  const differing = COUNTED.filter((_, i) => expected[i] !== copied[i]);
  const isSearched = copied.at(-1) === copied[COUNTED.indexOf(PASSES)];
  const isPassSame = isSearched && !differing.some((table) => table === PASSES || !STREAMED.includes(table));
  return {
    rows: Object.fromEntries(COUNTED.map(({ name }, i) => [name, expected[i]!])),
    differing: [
      ...(isPassSame ? [] : [PASSES]),
      ...differing.filter((one) => one !== PASSES && STREAMED.includes(one)),
    ],
  };
}

/** Returns whether the copy is the same. Otherwise writes are allowed again, and what differs is copied again. */
async function isCopySame(move: Move, claim: string, { differing, changes }: LastCopy): Promise<boolean> {
  const changed = await findDiffering(move, changedRows(move, changes));
  if (changed.length + differing.length === 0 && changes.length < CHANGES_AT_ONCE) return true;
  await unblock(move, claim);
  await sync(move, changed);
  if (differing.length === 0) return false;
  await savePlace(move, claim, { tableIndex: Math.min(...differing.map((one) => STREAMED.indexOf(one))), place: null });
  await inCopy(move, unwatchCopy(move));
  for (const table of differing) await removeTable(move.to, move.accountId, table);
  return false;
}
