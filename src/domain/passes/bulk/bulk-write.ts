import { and, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { chunksOf, PARAMETER_CHARS_MAX, slicesOf } from '../../../platform/chunks.ts';
import { describeError, logLine } from '../../../platform/log.ts';
import { commit } from '../../commit.ts';
import type { AccountContext } from '../../context.ts';
import { type DomainError, invalid } from '../../errors.ts';
import { recordPassEvents } from '../../events/record-event.ts';
import type { Job } from '../../jobs.ts';
import { insertMessages } from '../../messages/request-messages.ts';
import { moveRefusal } from '../../moved.ts';
import { appendFacts, listedFacts } from '../../pass-facts/append-facts.ts';
import { IS_HELD, requestPushes } from '../../pushes/request-pushes.ts';
import { changeFact } from '../change-fact.ts';
import { type Change, changeStatements, pushedText, refusalOf } from '../change-pass.ts';
import type { PassColumn } from '../changed-columns.ts';
import { passJobs } from '../images/pass-images.ts';
import { changedAt } from '../modified-at.ts';
import { isOfAccount, isOwnPass, valueOfPass } from '../own-pass.ts';
import { passEventBody } from '../pass-event.ts';
import { indexPasses } from '../search-index/index-pass.ts';
import { changedFoldedValues, documentOf, type PassDocument } from '../search-index/pass-document.ts';
import { type Pass, passes } from '../table.ts';
import { type Claimant, hasOtherClaims, isTakenValue, reclaimUniqueValues, takenRefusal } from '../unique-values.ts';
import type { Ledger } from './bulk-item.ts';

/** Change that an item of a bulk operation requests. */
export interface ItemChange {
  seq: number;
  change: Change;
}

/**
 * Outcome of changes, by item. Items in neither list changed concurrently, or the reason for their refusal is gone;
 * decide them again.
 */
export interface Written {
  applied: Set<number>;
  refused: Map<number, DomainError>;
}

/** Changes with rules have their own statements, up to thirteen each; this many share a batch. */
const RULED_CHANGES_MAX = 25;

/**
 * Writes changes of different passes, each with its events and its ledger entry or not at all. Changes without rules
 * share a few statements, so only their size counts. A batch whose data is refused is halved until the failing change
 * is alone; the others are written.
 */
export async function writeChanges(ctx: AccountContext, items: ItemChange[], ledger: Ledger): Promise<Written> {
  const written: Written = { applied: new Set(), refused: new Map() };
  const plain = items.filter(({ change }) => change.rules.length === 0).map(encode);
  const ruled = items.filter(({ change }) => change.rules.length > 0);
  const afterOf = ({ change }: ItemChange) => change.after;
  for (const piece of chunksOf(plain, PARAMETER_CHARS_MAX, ({ row }) => row.length)) {
    await isolateFailures(ctx, piece, (some) => writePlain(ctx, some, ledger), afterOf, written);
  }
  for (const piece of slicesOf(ruled, RULED_CHANGES_MAX)) {
    await isolateFailures(ctx, piece, (some) => writeRuled(ctx, some, ledger), afterOf, written);
  }
  for (const { seq, change } of ruled) {
    if (written.applied.has(seq) || written.refused.has(seq)) continue;
    const refused = await refusalOf(ctx, change);
    if (refused) written.refused.set(seq, refused);
  }
  return written;
}

/**
 * Runs `write`, which returns the numbers of the applied items, and halves the list while its data is refused. Throws
 * all other errors.
 */
export async function isolateFailures<T extends { seq: number }>(
  ctx: AccountContext,
  items: T[],
  write: (items: T[]) => Promise<number[]>,
  wanted: (item: T) => Claimant,
  written: Written,
): Promise<void> {
  try {
    for (const seq of await write(items)) written.applied.add(seq);
  } catch (error) {
    if (!isRefusedData(error)) throw error;
    if (items.length > 1) {
      const middle = Math.ceil(items.length / 2);
      await isolateFailures(ctx, items.slice(0, middle), write, wanted, written);
      await isolateFailures(ctx, items.slice(middle), write, wanted, written);
      return;
    }
    for (const item of items) {
      const refused = await dataRefusal(ctx, error, wanted(item));
      if (refused) written.refused.set(item.seq, refused);
    }
  }
}

/** Returns why the database refused a pass; undefined if a taken unique value is free again, so the caller retries. */
async function dataRefusal(ctx: AccountContext, error: unknown, claimant: Claimant): Promise<DomainError | undefined> {
  if (isTakenValue(error)) return takenRefusal(ctx, claimant);
  logLine('error', { event: 'bulk-item', pass: claimant.pass.id, error: describeError(error) });
  return invalid('The database rejected the values of this pass');
}

/** Whether the database refused the data, so that a retry would fail too. Other errors may be temporary. */
function isRefusedData(error: unknown): boolean {
  if (moveRefusal(error)) return false;
  const text = error instanceof Error ? `${error.message} ${String(error.cause)}` : String(error);
  return /SQLITE_(CONSTRAINT|TOOBIG)|constraint failed|too big/.test(text);
}

async function writeRuled(ctx: AccountContext, items: ItemChange[], ledger: Ledger): Promise<number[]> {
  const statements = items.map(({ seq, change }) =>
    changeStatements(ctx, change, (applies) => [ledger.note(sql`select ${seq} as seq where ${applies}`)]),
  );
  const applied = (results: unknown[][]) => {
    let end = 0;
    return items.filter((_, i) => {
      end += statements[i]!.length;
      return results[end - 1]!.length > 0;
    });
  };
  const results = await commit(ctx, statements.flat(), (committed) => applied(committed).flatMap(jobsOf));
  return applied(results).map(({ seq }) => seq);
}

/** Returns the jobs that a written change still needs. */
function jobsOf({ change: { before, images, messages } }: ItemChange): Job[] {
  return passJobs(before, images, messages);
}

/** Plain change in the form of the shared statements. */
interface EncodedChange extends ItemChange {
  document: PassDocument;
  /** JSON array: pass ID, version that was read, folded values, and the new value of each changed column. */
  row: string;
}

function encode({ seq, change }: ItemChange): EncodedChange {
  const { before, after, columns } = change;
  const values = columns.map((name) => encodeColumn(name, after.pass));
  const document = documentOf(after.pass);
  const row = JSON.stringify([before.id, before.version, changedFoldedValues(document), ...values]);
  return { seq, change, document, row };
}

/** Returns a column's value as drizzle stores it. */
function encodeColumn(name: PassColumn, pass: Pass): unknown {
  const value = pass[name];
  return value === null ? null : getTableColumns(passes)[name].mapToDriverValue(value);
}

async function writePlain(ctx: AccountContext, items: EncodedChange[], ledger: Ledger): Promise<number[]> {
  const updates = updateStatements(ctx, items);
  // Events come before the update: after it, the rows no longer show whose change it was.
  const applied = (results: { id: string }[][]) => {
    const ids = new Set(results.slice(-updates.length).flatMap((rows) => rows.map(({ id }) => id)));
    return items.filter(({ change }) => ids.has(change.before.id));
  };
  const statements = [...dependants(ctx, items, ledger), ...updates];
  const results = await commit(ctx, statements, (committed) => applied(committed).flatMap(jobsOf));
  return applied(results).map(({ seq }) => seq);
}

/** Builds the statements that go with the update, for passes that still have the version that was read. */
function dependants(ctx: AccountContext, items: EncodedChange[], ledger: Ledger): BatchItem<'sqlite'>[] {
  const read = JSON.stringify(items.map(({ seq, change: { before } }) => [seq, before.id, before.version]));
  const versions = JSON.stringify(
    Object.fromEntries(items.map(({ change: { before } }) => [before.id, before.version])),
  );
  const unchanged = (id: SQL) => sql`exists (select 1 from ${passes}
    where ${isOwnPass(ctx.account.id, id)} and ${passes.version} = ${versions} ->> ('$."' || (${id}) || '"'))`;
  const events = items.flatMap(({ change }) => {
    const { pass, definition } = change.after;
    const body = passEventBody(ctx, pass, definition);
    return change.events.map((type) => ({ type, templateId: pass.templateId, passId: pass.id, body }));
  });
  const messages = items.flatMap(({ change }) => change.messages);
  const states = items.map(({ change: { before, after }, document }) => {
    return { pass: after.pass, version: before.version, document };
  });
  const claims = items
    .filter(({ change }) => hasOtherClaims(change.before, change.after.pass))
    .map(({ change }) => ({ pass: change.after.pass, readVersion: change.before.version }));
  return [
    ledger.note(sql`select item.value ->> 0 as seq from json_each(${read}) as item
      join ${passes} on ${isOwnPass(ctx.account.id, sql`item.value ->> 1`)} and ${passes.version} = item.value ->> 2`),
    ...recordPassEvents(ctx, events, unchanged),
    ...insertMessages(ctx, messages, unchanged),
    ...indexPasses(ctx, states),
    ...(claims.length > 0 ? reclaimUniqueValues(ctx, claims) : []),
    ...notices(ctx, items, unchanged),
  ];
}

/**
 * Builds one push request for the passes that still have the version that was read, with texts and facts. Also builds
 * the statement that adds the facts of the other passes.
 */
function notices(ctx: AccountContext, items: EncodedChange[], unchanged: (id: SQL) => SQL): BatchItem<'sqlite'>[] {
  const facts = new Map(items.map(({ change }) => [change.before.id, changeFact(ctx, change)]));
  const seen = items.filter(({ change }) => change.changesAppearance);
  const seenIds = JSON.stringify(seen.map(({ change }) => change.before.id));
  const listed = [...facts].map(([passId, fact]) => ({ passId, fact }));
  const passId = sql.raw('listed.value ->> 0');
  const hasPendingPush = sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, passId)}
    and ${passes.id} in (select value from json_each(${seenIds})) and ${IS_HELD})`;
  return [
    ...pushRequests(ctx, seen, facts),
    appendFacts(ctx, ctx.account.id, sql`${listedFacts(listed)} where ${unchanged(passId)} and not ${hasPendingPush}`),
  ];
}

function pushRequests(ctx: AccountContext, seen: EncodedChange[], facts: Map<string, string>): BatchItem<'sqlite'>[] {
  if (seen.length === 0) return [];
  const ids = JSON.stringify(seen.map(({ change: { before } }) => before.id));
  const versions = valueOfPass(seen.map(({ change: { before } }) => [before.id, before.version]));
  const texts = seen
    .map(({ change }): [string, unknown] => [change.before.id, pushedText(change)])
    .filter(([, text]) => text !== null);
  const selected = sql`${passes.id} in (select value from json_each(${ids})) and ${isOfAccount(ctx.account.id)}
    and ${passes.version} = ${versions}`;
  const ofSeen = valueOfPass(seen.map(({ change: { before } }) => [before.id, facts.get(before.id)]));
  return [requestPushes(ctx, { selected, text: texts.length > 0 ? valueOfPass(texts) : null, facts: ofSeen })];
}

/** Builds one update for all changes of the same columns. */
function updateStatements(ctx: AccountContext, items: EncodedChange[]) {
  const groups = Map.groupBy(items, ({ change }) => change.columns.join());
  return [...groups.values()].map((group) => {
    const { columns } = group[0]!.change;
    const rows = `[${group.map(({ row }) => row)}]`;
    const value = (at: number) => sql.raw(`change.row ->> ${at}`);
    return ctx.db
      .update(passes)
      .set({
        ...Object.fromEntries(
          columns.map((name, i) => [name, name === 'modifiedAt' ? changedAt(value(i + 3)) : value(i + 3)]),
        ),
        foldedValues: value(2),
      })
      .from(sql`(select value as row from json_each(${rows})) as change`)
      .where(and(isOwnPass(ctx.account.id, value(0)), sql`${passes.version} = ${value(1)}`))
      .returning({ id: passes.id });
  });
}
