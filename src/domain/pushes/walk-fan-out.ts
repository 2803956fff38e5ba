import { and, eq, isNotNull, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { bookedMs } from '../../platform/rate-limiter.ts';
import { chooseGoogleIssuer, googleIssuerQuery } from '../certificates/find-google-issuer.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import { DELAY_S_MAX, later } from '../enqueue.ts';
import { CALLS_PER_SECOND } from '../google-rate-limit/rate.ts';
import { bookCapacity } from '../google-rate-limit/wait-for-capacity.ts';
import type { JobOf } from '../jobs.ts';
import { isSuspended } from '../suspended.ts';
import { versionNumber } from '../versions.ts';
import { fanOutJobs, heldPasses } from './begin-fan-out.ts';
import { endFanOut } from './claim-page.ts';
import { HAND_OVER_LEASE_MS, PAGE_PASSES, WORK_LEASE_MS } from './push-jobs.ts';
import { type PushFanOut, pushFanOuts, pushPages } from './table.ts';

/**
 * Passes that are split into pages in one round trip: 100 pages, as many messages as the queue takes at once
 * (Cloudflare, Queues limits).
 */
const STEP_PASSES = 100 * PAGE_PASSES;
/** Steps of one job. Another job continues, so that none runs long. */
const STEPS_MAX = 20;
/**
 * Passes split at once if Google's rate limit applies: one minute of it. A pass usually takes one call; where it takes
 * two, the rate limiter spreads the rest.
 */
const RATED_STEP_PASSES = 60 * CALLS_PER_SECOND;
/** How long before the end of a step's time the next step begins, in milliseconds. */
const LEAD_MS = 30_000;
/** Clock difference by which a message may be early, in milliseconds. */
const EARLY_MS = 5_000;

/** Returns whether passes look the same with two versions of a template. */
export type CompareAppearance = (ctx: Context, templateId: string, before: number, after: number) => Promise<boolean>;

/**
 * Job: splits the passes of a fan-out into pages by key and enqueues each, for Google no faster than its rate limit.
 * The cursor is committed with the pages, so an interrupted run continues there and only one runs at a time. No pass is
 * read into memory. Ends here if a publication changes nothing visible.
 */
export async function walkFanOut(ctx: Context, job: FanOutName, hasSameAppearance: CompareAppearance): Promise<void> {
  const fanOut = await claimFanOut(ctx, job);
  if (!fanOut?.templateId) return;
  try {
    const isDone = await isInvisibleChange(ctx, fanOut, hasSameAppearance);
    await release(ctx, fanOut, isDone ? undefined : await walk(ctx, fanOut));
  } catch (error) {
    await commit(ctx, releaseStatements(ctx, fanOut, Date.now() + HAND_OVER_LEASE_MS));
    throw error;
  }
}

/** With versions in between, passes may show one that looks different: then all are pushed. */
async function isInvisibleChange(
  ctx: Context,
  fanOut: PushFanOut,
  hasSameAppearance: CompareAppearance,
): Promise<boolean> {
  const { templateId, version, versionBefore } = fanOut;
  if (!templateId || version === null || versionBefore === null) return false;
  if (versionNumber(version) !== versionNumber(versionBefore) + 1) return false;
  return hasSameAppearance(ctx, templateId, versionBefore, version);
}

/** Creates pages and enqueues them. Returns the delay until another job continues; undefined if all pages exist. */
async function walk(ctx: Context, fanOut: PushFanOut): Promise<number | undefined> {
  const limited = fanOut.kind === 'google' ? await findLimited(ctx, fanOut) : undefined;
  if (limited) return walkAtRate(ctx, fanOut, limited);
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await createPages(ctx, fanOut, NO_SPREAD)) * PAGE_PASSES < STEP_PASSES) return undefined;
  }
  return 0;
}

/** Work that an issuer's rate limit applies to. */
interface Limited {
  /** Row identifier of the issuer. */
  issuerId: string;
  /** Number of passes of the next step. */
  passes: number;
}

/** Returns the next work at the account's Google issuer. A development issuer has no rate limit. */
async function findLimited(ctx: Context, fanOut: PushFanOut): Promise<Limited | undefined> {
  const [issuers, [counted]] = await ctx.db.batch([
    googleIssuerQuery(ctx.db, fanOut.accountId),
    countQuery(ctx, fanOut),
  ]);
  const issuer = chooseGoogleIssuer(issuers);
  return issuer && !issuer.development ? { issuerId: issuer.id, passes: counted?.passes ?? 0 } : undefined;
}

/** Builds the query of the number of passes that the next step splits, at most those of one minute. */
function countQuery(ctx: Context, fanOut: PushFanOut) {
  const next = nextKeys(fanOut, sql.raw('push_fan_outs.cursor'), {
    limit: RATED_STEP_PASSES,
    templateId: sql.raw('push_fan_outs.template_id'),
  });
  return ctx.db
    .select({ passes: sql<number>`(select count(*) from (${next}))` })
    .from(pushFanOuts)
    .where(isHeld(fanOut));
}

/**
 * Creates the pages of one minute, for the time that the rate limiter reserves. Books only the calls that they take, so
 * that small fan-outs follow each other closely.
 */
async function walkAtRate(
  ctx: Context,
  fanOut: PushFanOut,
  { issuerId, passes }: Limited,
): Promise<number | undefined> {
  const startMs = await bookCapacity(ctx, issuerId, passes);
  const spread = { passes: RATED_STEP_PASSES, startMs, pageMs: bookedMs(PAGE_PASSES, 1_000 / CALLS_PER_SECOND) };
  const pages = await createPages(ctx, fanOut, spread);
  return pages * PAGE_PASSES < RATED_STEP_PASSES ? undefined : startMs + pages * spread.pageMs - LEAD_MS;
}

type FanOutName = Omit<JobOf<'walk-push-fan-out'>, 'type'>;

async function claimFanOut(ctx: Context, { accountId, fanOutId }: FanOutName): Promise<PushFanOut | undefined> {
  const now = Date.now();
  // A second message of a fan-out that waits for its time ends here, so that there is only one chain of jobs.
  const isDue = lte(pushFanOuts.dueAt, now + HAND_OVER_LEASE_MS + EARLY_MS);
  const isFree = or(and(isNull(pushFanOuts.claim), isDue), lte(pushFanOuts.dueAt, now));
  const [fanOut] = await ctx.db
    .update(pushFanOuts)
    .set({ claim: randomToken(), dueAt: now + WORK_LEASE_MS })
    .where(and(isFanOut(accountId, fanOutId), isNotNull(pushFanOuts.dueAt), isFree, not(isSuspended(accountId))))
    .returning();
  return fanOut;
}

/** Number of passes in a step, and when its pages begin: the first at `startMs`, each further one `pageMs` later. */
interface Spread {
  passes: number;
  startMs: number;
  pageMs: number;
}

const NO_SPREAD: Spread = { passes: STEP_PASSES, startMs: 0, pageMs: 0 };

/** Creates the next pages and returns their number. Fewer than a step has room for means that there are no more. */
async function createPages(ctx: Context, fanOut: PushFanOut, { passes, startMs, pageMs }: Spread): Promise<number> {
  const { id, accountId } = fanOut;
  const now = Date.now();
  // Each step reads the index after the last page: window functions would visit every key four times.
  const [keys, number] = [sql.raw('cut.keys'), sql.raw('cut.page')];
  const last = sql`(${keys} ->> '$[#-1]')`;
  const cut = sql`with recursive cut(page, keys) as (
    select -1, json_array(${pushFanOuts.cursor}) from ${pushFanOuts} where ${eq(pushFanOuts.id, id)} and ${eq(pushFanOuts.claim, fanOut.claim!)}
    union all
    select ${number} + 1, (select json_group_array(key) from (${nextKeys(fanOut, last)})) from cut
    where ${number} < ${passes / PAGE_PASSES - 1} and ${keys} <> '[]')`;
  const lastCut = sql`(select ${pushPages.last} from ${pushPages} where ${eq(pushPages.fanOutId, id)} order by ${pushPages.number} desc limit 1)`;
  const statements = [
    ctx.db
      .insert(pushPages)
      .select(
        sql`${cut} select ${id}, ${keys} ->> '$[0]', ${last}, ${keys}, 0, ${now + startMs},
          ${now + startMs + HAND_OVER_LEASE_MS} + ${number} * ${pageMs}, null, 0
          from cut where ${number} >= 0 and ${keys} <> '[]'`,
      )
      .returning({ number: pushPages.number }),
    ctx.db
      .update(pushFanOuts)
      .set({ cursor: sql`max(${pushFanOuts.cursor}, coalesce(${lastCut}, 0))`, dueAt: now + WORK_LEASE_MS })
      .where(isHeld(fanOut)),
  ] as const;
  const [made] = await commit(ctx, statements, ([pages]) =>
    pages
      .map(({ number }) => number)
      .sort((a, b) => a - b)
      .map((page, i) => later({ type: 'push-page', accountId, fanOutId: id, page }, (startMs + i * pageMs) / 1_000)),
  );
  return made.length;
}

/** Returns the next keys behind one, those of a page. For a publication, only passes with an older version. */
function nextKeys(
  { kind, templateId, version }: PushFanOut,
  behind: SQL,
  next: { limit: number; templateId: string | SQL } = { limit: PAGE_PASSES, templateId: templateId! },
): SQL {
  const isOlder = version === null ? sql`` : sql`and template_version < ${version}`;
  return heldPasses(
    kind,
    sql`key`,
    next.templateId,
    sql`${isOlder} and key > ${behind} order by key limit ${sql.raw(String(next.limit))}`,
  );
}

/** Releases a fan-out: all pages exist, or another job continues after a delay. */
async function release(ctx: Context, fanOut: PushFanOut, afterMs: number | undefined): Promise<void> {
  const dueAt = afterMs === undefined ? null : Date.now() + Math.min(afterMs, DELAY_S_MAX * 1_000) + HAND_OVER_LEASE_MS;
  const next = afterMs === undefined ? [] : fanOutJobs([fanOut]).map((job) => later(job, afterMs / 1_000));
  await commit(ctx, releaseStatements(ctx, fanOut, dueAt), next);
}

function releaseStatements(ctx: Context, fanOut: PushFanOut, dueAt: number | null) {
  return [
    ctx.db.update(pushFanOuts).set({ claim: null, dueAt }).where(isHeld(fanOut)),
    endFanOut(ctx, isFanOut(fanOut.accountId, fanOut.id)),
  ] as const;
}

function isFanOut(accountId: string, id: string): SQL {
  return and(eq(pushFanOuts.id, id), eq(pushFanOuts.accountId, accountId))!;
}

/** Builds the condition that the claim of a fan-out is still valid. */
function isHeld({ accountId, id, claim }: PushFanOut): SQL {
  return and(isFanOut(accountId, id), eq(pushFanOuts.claim, claim!))!;
}
