import { and, asc, eq, lte, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { insertCopy, isNoCopy } from '../accounts/copies.ts';
import type { Account } from '../accounts/table.ts';
import { DIRECTORY } from '../shard-map.ts';
import { alignCounts, countedUpTo } from '../statistics/move-counts.ts';
import { insertSilent, subscriptionsIn } from '../webhooks/copy-subscriptions.ts';
import { findMove, hasClaim } from './claim-move.ts';
import { syncPasses } from './copy-passes.ts';
import {
  copyWhole,
  inBatch,
  inBatchIf,
  type Move,
  PAGE_ROWS,
  type Row,
  rowsOf,
  syncRows,
  takenOverRefusal,
} from './copy-rows.ts';
import { COPIED_LAST, type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { accountChanges } from './table.ts';

/** Row numbers that one statement scans in a table that holds rows of many accounts. */
const WINDOW = 20_000;
/** Changes applied per call. */
const CHANGES_AT_ONCE = 500;

/** Marks the account in the target database as a copy, before its rows are copied. */
export async function beginCopying({ from, to, accountId }: Move, account: Account): Promise<void> {
  const subscriptions = await subscriptionsIn(from, accountId);
  await inBatchIf(to, sql`not ${isNoCopy(accountId)}`, [
    insertCopy(to, account, from.database ?? DIRECTORY),
    ...insertSilent(to, subscriptions),
  ]);
}

/** Copies the page of a table after `place`. Returns the place of the next page, or null after the last one. */
export async function copyPage(move: Move, table: MovedTable, place: string | null): Promise<string | null> {
  const { keys, next } = table.isKeyed ? await pageByKey(move, table, place) : await pageByNumber(move, table, place);
  await sync(move, table, keys);
  return next;
}

function sync(move: Move, table: MovedTable, keys: Row[]): Promise<void> {
  if (table === PASSES) return syncPasses(move, keys.map(String));
  return syncRows(move, table, keys);
}

interface Page {
  keys: Row[];
  next: string | null;
}

const keyList = ({ key }: MovedTable) => sql.raw(key.map((name) => `"${name}"`).join(', '));

async function pageByNumber({ from, accountId }: Move, table: MovedTable, place: string | null): Promise<Page> {
  // Triggers record rows beyond `upTo`, the last row number at the start, as changes.
  const [after, upTo] = place === null ? [0, null] : (JSON.parse(place) as [number, number]);
  const name = sql.identifier(table.name);
  const [found, [last]] = await from.db.batch([
    rawStatement<{ number: number; key: string }>(
      from.db,
      sql`select rowid as number, json_array(${keyList(table)}) as key from ${name}
        where rowid > ${after} and rowid <= ${after + WINDOW} and ${rowsOf(table, accountId)} order by rowid limit ${PAGE_ROWS}`,
    ),
    rawStatement<{ number: number | null }>(from.db, sql`select max(rowid) as number from ${name}`),
  ]);
  const keys = found.map(({ key }) => JSON.parse(key) as Row);
  const end = upTo ?? last?.number ?? 0;
  const reached = found.length === PAGE_ROWS ? found.at(-1)!.number : after + WINDOW;
  return { keys, next: reached < end ? JSON.stringify([reached, end]) : null };
}

async function pageByKey({ from, accountId }: Move, table: MovedTable, place: string | null): Promise<Page> {
  const values = place === null ? undefined : (JSON.parse(place) as Row).map((value) => sql`${value}`);
  const isBehind = values ? sql`(${keyList(table)}) > (${sql.join(values, sql`, `)})` : sql`true`;
  const found = await rawStatement<{ key: string }>(
    from.db,
    sql`select json_array(${keyList(table)}) as key from ${sql.identifier(table.name)}
      where ${rowsOf(table, accountId)} and ${isBehind} order by ${keyList(table)} limit ${PAGE_ROWS}`,
  );
  const keys = found.map(({ key }) => JSON.parse(key) as Row);
  return { keys, next: found.length === PAGE_ROWS ? found.at(-1)!.key : null };
}

/**
 * Copies the next changed rows again. Returns how many changes it applied, 0 if none are left. Throws `conflict` if
 * another command took over.
 */
export async function applyChanges(move: Move, claim: string): Promise<number> {
  const { db } = move.from;
  const ofAccount = eq(accountChanges.accountId, move.accountId);
  const changes = await db
    .select()
    .from(accountChanges)
    .where(ofAccount)
    .orderBy(asc(accountChanges.number))
    .limit(CHANGES_AT_ONCE);
  for (const table of STREAMED) {
    const keys = new Set(changes.filter((one) => one.table === table.name).map(({ key }) => key));
    const list = [...keys].map((key) => JSON.parse(key) as Row).filter(([first]) => first !== null);
    for (let i = 0; i < list.length; i += PAGE_ROWS) await sync(move, table, list.slice(i, i + PAGE_ROWS));
  }
  const last = changes.at(-1)?.number;
  if (last === undefined) return 0;
  // Numbers start over in an empty table, so a command that lost its claim must not delete changes it hasn't seen.
  const isDone = and(ofAccount, lte(accountChanges.number, last), hasClaim(move.accountId, claim));
  const { meta } = await db.delete(accountChanges).where(isDone);
  if (meta.changes === 0 && (await findMove(move))?.claim !== claim) throw takenOverRefusal();
  return changes.length;
}

/** Copies the small tables while writes are refused. Returns the number of rows by table. */
export async function copyLast(move: Move, onTable: () => Promise<void>): Promise<Record<string, number>> {
  const { from, to, accountId } = move;
  const rows: Record<string, number> = {};
  for (const table of COPIED_LAST) {
    await onTable();
    // Updated in place: the row of the account keeps its mark as a copy until the account lives there.
    if (table.name === 'accounts') {
      await syncRows(move, table, [[accountId]]);
      rows[table.name] = 1;
    } else {
      const isCounts = table.name === 'hourly_counts';
      rows[table.name] = await copyWhole(
        move,
        table,
        isCounts ? [alignCounts(to, accountId, await countedUpTo(from))] : [],
      );
    }
  }
  return rows;
}

/**
 * Counts the rows of the large tables and the searchable passes on both sides. Returns the counts and differing tables.
 */
export async function compareCounts(move: Move): Promise<{ rows: Record<string, number>; differing: MovedTable[] }> {
  const { from, to } = move;
  const [there, here] = await Promise.all([from, to].map((ctx) => counts(move, ctx)));
  const differing = STREAMED.filter(({ name }) => there![name] !== here![name]);
  const isPassDifferent = OF_PASSES.some(({ name }) => there![name] !== here![name]) || here!.searched !== here!.passes;
  if (isPassDifferent && !differing.includes(PASSES)) differing.unshift(PASSES);
  const { searched: _, ...rows } = there!;
  return { rows, differing };
}

async function counts({ accountId }: Move, ctx: Move['from']): Promise<Record<string, number>> {
  const tables = [...STREAMED, ...OF_PASSES];
  const results = await inBatch(ctx, [
    ...tables.map((table) =>
      rawStatement(
        ctx.db,
        sql`select count(*) as rows from ${sql.identifier(table.name)} where ${rowsOf(table, accountId)}`,
      ),
    ),
    rawStatement(
      ctx.db,
      sql`select count(*) as rows from passes cross join pass_terms_docsize as found on found.id = passes.key
        where passes.account_id = ${accountId}`,
    ),
  ]);
  const numbers = (results as { rows: number }[][]).map(([row]) => row!.rows);
  return Object.fromEntries([...tables.map(({ name }) => name), 'searched'].map((name, i) => [name, numbers[i]!]));
}
