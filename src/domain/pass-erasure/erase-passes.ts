import { and, eq, inArray, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { timeOf } from '../../platform/ids.ts';
import { eraseCodeScans, eraseScansOf, listScansOfCodes } from '../app-scans/delete-scans.ts';
import type { Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { aboutPasses, aboutScans, eraseEvents } from '../events/erase-events.ts';
import { eraseRepliesAbout } from '../idempotency/erase-replies.ts';
import { claimErasures, endRound, listErasures } from '../passes/deletion/erasures.ts';
import { IS_OWN_BARCODE } from '../passes/find-pass.ts';
import { isNamedIn } from '../passes/own-pass.ts';
import { type PassErasure, passes } from '../passes/table.ts';
import { eraseItems } from '../processes/erase-items.ts';
import { forgetPushes, forgetTexts } from '../pushes/forget-pushes.ts';
import { eraseAnswersTo, isUndelivered } from '../webhooks/erase-deliveries.ts';

/** Passes per page. */
const PAGE_PASSES = 50;
/** Pages that a run of the cron hands to the queue. */
const PAGES_MAX = 20;

const MINUTE_MS = 60_000;
/** Time until the second round: work that was under way when the pass was deleted has ended by then. */
const SECOND_ROUND_MS = 20 * MINUTE_MS;
/** Wait before a further round while a delivery is pending; it doubles each time. */
const WAIT_MS = 30 * MINUTE_MS;
const WAIT_MS_MAX = 12 * 60 * MINUTE_MS;

/**
 * Job: erases the data of deleted passes in other rows: scan values, delivered events, receivers' answers, push texts,
 * kept replies and, from the second round on, failed items of processes. A round may run twice. When the last one runs,
 * nothing can be added any more.
 */
export async function erasePasses(ctx: Context, passIds: string[], now = Date.now()): Promise<void> {
  for (const some of slicesOf(passIds, PAGE_PASSES)) {
    const page = await listErasures(ctx, some);
    if (page.length > 0) await erasePage(ctx, page, now);
  }
}

async function erasePage(ctx: Context, page: PassErasure[], now: number): Promise<void> {
  // An anonymized pass stays. What it gets later belongs to its next holder.
  const young = page.filter(({ isForced, rounds }) => !isForced || rounds < 2);
  const passIds = young.map(({ passId }) => passId);
  await eraseScansOf(ctx, passIds);
  await forgetPushes(ctx, passIds);
  await forgetTexts(
    ctx,
    page.filter(({ isForced, rounds }) => isForced && rounds === 0).map(({ passId }) => passId),
  );
  await eraseRepliesAbout(ctx, passIds);
  const undelivered = new Set<string>();
  const kindOf = ({ isForced, rounds }: PassErasure) => (isForced ? (rounds === 0 ? 'first' : 'second') : 'patient');
  for (const [kind, some] of Map.groupBy(young, kindOf)) {
    const ids = some.map(({ passId }) => passId);
    const about = aboutPasses(ids);
    await eraseAnswersTo(ctx, about, { areAll: kind !== 'patient' });
    // By the marks, the second round finds what receivers answered since.
    const stays = kind === 'patient' ? isUndelivered : () => sql`false`;
    const left = await eraseEvents(ctx, about, { stays, shouldKeepMarks: kind === 'first' });
    for (const id of left) undelivered.add(id);
    // Before the first round, the erasure of the person does this with all names, which the row may not have.
    const byCode = kind === 'first' ? [] : some;
    for (const [accountId, ofAccount] of Map.groupBy(byCode, (one) => one.accountId)) {
      const isLeft = await eraseScansWithoutPass(ctx, accountId, namesOf(ofAccount), { isPatient: kind === 'patient' });
      if (isLeft) for (const { passId } of ofAccount) undelivered.add(passId);
    }
  }
  const working = await eraseFromProcesses(
    ctx,
    page.filter(({ rounds }) => rounds > 0),
  );
  const isDone = ({ passId, accountId, rounds }: PassErasure) =>
    rounds > 0 && !undelivered.has(passId) && !working.has(accountId);
  await endRound(ctx, {
    done: page.filter(isDone),
    next: page.filter((one) => !isDone(one)).map((one) => ({ ...one, dueAt: now + waitAfter(one.rounds) })),
  });
}

function waitAfter(rounds: number): number {
  return rounds === 0 ? SECOND_ROUND_MS : Math.min(WAIT_MS_MAX, WAIT_MS * 2 ** (rounds - 1));
}

/** Returns the accounts whose processes still work. */
async function eraseFromProcesses(ctx: Context, page: PassErasure[]): Promise<Set<string>> {
  const working = new Set<string>();
  for (const [accountId, ofAccount] of Map.groupBy(page, (one) => one.accountId)) {
    const named = namesOf(ofAccount);
    const names = [...named.passIds, ...(await findUnusedNames(ctx, accountId, named))];
    const beganBefore = Math.max(...ofAccount.map(({ deletedAt }) => deletedAt));
    const { isOpen } = await eraseItems(ctx, accountId, { names, beganBefore });
    if (isOpen) working.add(accountId);
  }
  return working;
}

function namesOf(erasures: PassErasure[]): ErasedNames {
  return { names: erasures.flatMap(({ names }) => names), passIds: erasures.map(({ passId }) => passId) };
}

/** Cron task: hands due erasures to the queue: further rounds, and those whose job got lost. */
export async function resumeErasures(ctx: Context, now = Date.now()): Promise<void> {
  const due = await claimErasures(ctx, PAGE_PASSES * PAGES_MAX, now);
  const jobs = [...Map.groupBy(due, ({ accountId }) => accountId)].flatMap(([accountId, ofAccount]) =>
    slicesOf(
      ofAccount.map(({ passId }) => passId),
      PAGE_PASSES,
    ).map((passIds) => ({ type: 'erase-passes' as const, accountId, passIds })),
  );
  await enqueue(ctx, jobs);
}

/** Names per query; D1 binds a hundred parameters. */
const NAMES_AT_ONCE = 90;

/** Names of erased passes, some of which may be missing, and the identifiers of these passes. */
interface ErasedNames {
  names: (string | null)[];
  passIds: string[];
}

/** Returns the distinct names that aren't missing or empty. */
function presentNames(names: ErasedNames['names']): string[] {
  return [...new Set(names.filter((name) => name !== null).filter((name) => name !== ''))];
}

/** Returns the names that no other pass of the account has; those in `passIds`, anonymized ones too, don't count. */
async function findUnusedNames(
  ctx: Context,
  accountId: string,
  { names: given, passIds }: ErasedNames,
): Promise<string[]> {
  const others = sql`${passes.id} not in (select value from json_each(${JSON.stringify(passIds)}))`;
  const names = presentNames(given);
  const taken = new Set<string | null>();
  for (const some of slicesOf(names, NAMES_AT_ONCE)) {
    for (const column of [passes.userProvidedId, passes.barcodeValue, passes.generatedId]) {
      const isOwnBarcode = column === passes.barcodeValue ? IS_OWN_BARCODE : undefined;
      const isOwn = column === passes.generatedId ? eq(passes.accountId, accountId) : isNamedIn(accountId);
      const rows = await ctx.db
        .select({ name: column })
        .from(passes)
        .where(and(isOwn, inArray(column, some), isOwnBarcode, others));
      for (const { name } of rows) taken.add(name);
    }
  }
  return names.filter((name) => !taken.has(name));
}

/** Scans per page: for each, the events of a minute are searched. */
const PAGE_SCANS = 100;
/** Far more than the time between a scan's request and its event. */
const EVENT_MS_MAX = 60_000;

/**
 * Erases the values of scans that have an erased pass's code but not the pass: at a configuration for other templates,
 * or before its creation. Names that another pass has don't count. `isPatient`: a scan keeps its values while its event
 * is undelivered. Returns whether there is such a scan. Usually one round trip.
 */
export async function eraseScansWithoutPass(
  ctx: Context,
  accountId: string,
  erased: ErasedNames,
  { isPatient }: { isPatient: boolean },
): Promise<boolean> {
  const given = [...erased.passIds, ...presentNames(erased.names)];
  const some = await listScansOfCodes(ctx, accountId, { codes: given, without: [], limit: 1 });
  if (some.length === 0) return false;
  const codes = [...erased.passIds, ...(await findUnusedNames(ctx, accountId, erased))];
  const left: string[] = [];
  for (;;) {
    const page = await listScansOfCodes(ctx, accountId, { codes, without: left, limit: PAGE_SCANS });
    if (page.length === 0) return left.length > 0;
    const recordedBy = (id: string, createdAt: number) => Math.max(timeOf(id), createdAt) + EVENT_MS_MAX;
    const about = aboutScans(
      accountId,
      page.map(({ id, createdAt }) => ({ id, recordedBy: recordedBy(id, createdAt) })),
    );
    await eraseAnswersTo(ctx, about, { areAll: !isPatient });
    const waiting = await eraseEvents(ctx, about, { stays: isPatient ? isUndelivered : () => sql`false` });
    await eraseCodeScans(
      ctx,
      accountId,
      page.map(({ id }) => id).filter((id) => !waiting.includes(id)),
    );
    left.push(...waiting);
  }
}
