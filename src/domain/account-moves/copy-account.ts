import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { insertCopy, isNoCopy } from '../accounts/copies.ts';
import type { Account } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { indexPasses } from '../passes/search-index/index-pass.ts';
import { type Pass, passes } from '../passes/table.ts';
import { DIRECTORY } from '../shard-map.ts';
import { insertSilent, subscriptionsIn } from '../webhooks/copy-subscriptions.ts';
import { findMove, hasClaim } from './claim-move.ts';
import {
  type Found,
  findDiffering,
  inBatchIf,
  inCopy,
  type Move,
  namedRows,
  PAGE_ROWS,
  type Part,
  type Row,
  readStatement,
  rowsOf,
  type Side,
  sync,
  takeNewValues,
  takenOverRefusal,
  toRows,
  writeStatements,
} from './copy-rows.ts';
import { type MovedTable, OF_PASSES, PASSES, STREAMED } from './moved-tables.ts';
import { type AccountChange, accountChanges } from './table.ts';

/** Row numbers that one statement scans in a table that holds rows of many accounts. */
const WINDOW = 20_000;
/** Changes of one round. */
export const CHANGES_AT_ONCE = 500;

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
  const { part, next } = await pageAfter(move, table, place);
  await sync(move, part);
  return next;
}

/** Compares the hashes of a page in both databases, and copies a page that differs again. Returns the next place. */
export async function comparePage(move: Move, table: MovedTable, place: string | null): Promise<string | null> {
  const { part, next } = await pageAfter(move, table, place);
  await sync(move, await findDiffering(move, part));
  return next;
}

async function pageAfter(
  move: Move,
  table: MovedTable,
  place: string | null,
): Promise<{ part: Part[]; next: Page['next'] }> {
  const { keys, next } = table.isKeyed ? await pageByKey(move, table, place) : await pageByNumber(move, table, place);
  return { part: keys.length === 0 ? [] : [partOf(move, table, keys)], next };
}

function partOf(move: Move, table: MovedTable, keys: Row[]): Part {
  return table === PASSES ? namedPasses(move, keys.map(String)) : namedRows(move, table, keys);
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

/** Builds the query for the next changes that the triggers of a database have recorded, oldest first. */
export function queryChanges({ db }: Context, accountId: string, after = 0) {
  return db
    .select()
    .from(accountChanges)
    .where(and(eq(accountChanges.accountId, accountId), gt(accountChanges.number, after)))
    .orderBy(asc(accountChanges.number))
    .limit(CHANGES_AT_ONCE);
}

/** Returns the rows that changed, by table. */
export function changedRows(move: Move, changes: AccountChange[]): Part[] {
  return STREAMED.flatMap((table) => {
    const keys = new Set(changes.filter((one) => one.table === table.name).map(({ key }) => key));
    const list = [...keys].map((key) => JSON.parse(key) as Row).filter(([first]) => first !== null);
    return list.length === 0 ? [] : [partOf(move, table, list)];
  });
}

/**
 * Copies the next changed rows again. Returns how many changes it applied, 0 if none are left. Throws `conflict` if
 * another command took over.
 */
export async function applyChanges(move: Move, claim: string): Promise<number> {
  const changes = await queryChanges(move.from, move.accountId);
  await sync(move, changedRows(move, changes));
  const isDone = changesUpTo(move, changes);
  if (!isDone) return 0;
  // Numbers start over in an empty table, so a command that lost its claim must not delete changes it hasn't seen.
  const { meta } = await move.from.db.delete(accountChanges).where(and(isDone, hasClaim(move.accountId, claim)));
  if (meta.changes === 0 && (await findMove(move))?.claim !== claim) throw takenOverRefusal();
  return changes.length;
}

/**
 * Compares the hashes of the rows that changed in the copy since it was compared, whoever changed them. Copies those
 * that differ again. Returns how many changes it has seen, 0 if none are left.
 */
export async function compareChanges(move: Move): Promise<number> {
  const { to, accountId } = move;
  const changes = await queryChanges(to, accountId);
  await sync(move, await findDiffering(move, changedRows(move, changes)));
  const isDone = changesUpTo(move, changes);
  if (isDone) await inCopy(move, [to.db.delete(accountChanges).where(isDone)]);
  return changes.length;
}

function changesUpTo({ accountId }: Move, changes: AccountChange[]) {
  const last = changes.at(-1)?.number;
  return last === undefined
    ? undefined
    : and(eq(accountChanges.accountId, accountId), lte(accountChanges.number, last));
}

/** Builds the statements that count the rows of the large tables, and in the target the searchable passes. */
export function queryCounts(move: Move, tables: MovedTable[], side: Side) {
  const { db } = move[side];
  const counts = tables.map((table) =>
    rawStatement<{ rows: number }>(
      db,
      sql`select count(*) as rows from ${sql.identifier(table.name)} where ${rowsOf(table, move.accountId)}`,
    ),
  );
  const searched = rawStatement<{ rows: number }>(
    db,
    sql`select count(*) as rows from passes cross join pass_terms_docsize as found on found.id = passes.key
      where passes.account_id = ${move.accountId}`,
  );
  return side === 'from' ? counts : [...counts, searched];
}

/**
 * Returns the passes with these identifiers, with their dependent rows and search index entries. Each database assigns
 * its own pass keys, in the same order.
 */
function namedPasses(move: Move, ids: string[]): Part {
  const { accountId, to } = move;
  const isTarget = sql`id in (select value from json_each(${JSON.stringify(ids)})) and ${rowsOf(PASSES, accountId)}`;
  return {
    read: (side) => [
      readStatement(move[side], PASSES, sql`${isTarget} order by key`),
      ...queryDependents(move[side], accountId, ids),
    ],
    lists: [
      { name: PASSES.name, toRows: (found) => toRows(PASSES, found) },
      ...OF_PASSES.map((table) => ({ name: table.name, toRows: (found: Found) => dependentRows(table, found) })),
    ],
    write: ([rows, ...dependents]) => {
      const kept = JSON.stringify(rows!.map((row) => row[ID]));
      return [
        ...OF_PASSES.map(({ name, pass, by }) =>
          rawStatement(
            to.db,
            sql`delete from ${sql.identifier(name)} where ${sql.raw(pass)} in (select ${sql.raw(by)} from passes where ${isTarget})`,
          ),
        ),
        rawStatement(to.db, sql`delete from pass_terms where rowid in (select key from passes where ${isTarget})`),
        rawStatement(
          to.db,
          sql`delete from ${sql.identifier(PASSES.name)} where ${isTarget} and id not in (select value from json_each(${kept}))`,
        ),
        ...writeStatements(to, PASSES, rows!, { onConflict: takeNewValues(PASSES) }),
        ...OF_PASSES.flatMap((table, i) => writeDependents(to, table, dependents[i]!)),
      ];
    },
    derived: {
      query: to.db.select().from(passes).where(isTarget),
      write: (found) => {
        const states = (found as Pass[]).map((pass) => ({ pass, version: pass.version }));
        return states.length === 0 ? [] : indexPasses(to, states);
      },
    },
  };
}

const ID = PASSES.columns.indexOf('id');

function writeDependents(to: Context, table: (typeof OF_PASSES)[number], rows: Row[]) {
  return writeStatements(to, table, rows, {
    onConflict: table.by === 'id' ? takeNewValues(table) : sql``,
    ...(table.by === 'key' && {
      further: { name: table.pass, value: (of) => sql`(select key from passes where id = ${of})` },
    }),
  });
}

/** Builds the statements that read the dependent rows of passes, each row with the identifier of its pass. */
function queryDependents(ctx: Context, accountId: string, ids: string[]) {
  return OF_PASSES.map(({ name, columns, pass, by }) => {
    const values = columns.map((column) => sql.raw(`dependent."${column}" as "${column}"`));
    return rawStatement<Found[number]>(
      ctx.db,
      sql`select ${sql.join([...values, sql.raw('holder.id as holder_id')], sql`, `)} from passes as holder
        cross join ${sql.identifier(name)} as dependent on dependent.${sql.raw(pass)} = holder.${sql.raw(by)}
        where holder.account_id = ${accountId} and holder.id in (select value from json_each(${JSON.stringify(ids)}))`,
    );
  });
}

function dependentRows({ columns }: { columns: string[] }, found: Found): Row[] {
  return found.map((row) => [...columns, 'holder_id'].map((name) => row[name] ?? null));
}
