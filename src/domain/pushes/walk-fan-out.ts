import { and, eq, isNotNull, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { commit } from '../commit.ts';
import type { Context } from '../context.ts';
import type { JobOf } from '../jobs.ts';
import { isSuspended } from '../suspended.ts';
import { versionNumber } from '../versions.ts';
import { fanOutJobs } from './begin-fan-out.ts';
import { endFanOut } from './claim-page.ts';
import { heldPasses } from './held-passes.ts';
import { HAND_OVER_LEASE_MS, PAGE_PASSES, WORK_LEASE_MS } from './leases.ts';
import { type PushFanOut, pushFanOuts, pushPages } from './table.ts';

/**
 * Passes that are cut into pages in one round trip; the queue takes as many messages at once (Cloudflare, Queues
 * limits).
 */
const STEP_PASSES = 100 * PAGE_PASSES;
/** Steps of one job; then another job goes on, so that none runs long. */
const STEPS_MAX = 20;

/** Whether passes that show one version of a template look alike with another. */
export type LooksTheSame = (ctx: Context, templateId: string, before: number, after: number) => Promise<boolean>;

/**
 * Job: cuts the passes of a fan-out into pages, in the order of their keys, and hands each page to the queue. What is
 * cut is noted by a cursor in the same batch as the pages: a run that dies is taken up where it stopped, and of two at
 * once one works. A pass is never read into memory. A publication that changes nothing a holder sees ends here.
 */
export async function walkFanOut(
  ctx: Context,
  job: Omit<JobOf<'walk-push-fan-out'>, 'type'>,
  looksTheSame: LooksTheSame,
): Promise<void> {
  const claim = randomToken();
  const fanOut = await takeUp(ctx, job, claim);
  if (!fanOut?.templateId) return;
  try {
    const isDone = (await isUnseen(ctx, fanOut, looksTheSame)) || (await walk(ctx, fanOut, claim));
    await release(ctx, fanOut, claim, isDone);
  } catch (error) {
    await commit(ctx, releaseStatements(ctx, fanOut, claim, Date.now() + HAND_OVER_LEASE_MS));
    throw error;
  }
}

/** A version in between may look different, and passes that were made with it show it: then all are pushed. */
async function isUnseen(ctx: Context, fanOut: PushFanOut, looksTheSame: LooksTheSame): Promise<boolean> {
  const { templateId, version, versionBefore } = fanOut;
  if (!templateId || version === null || versionBefore === null) return false;
  if (versionNumber(version) !== versionNumber(versionBefore) + 1) return false;
  return looksTheSame(ctx, templateId, versionBefore, version);
}

/** Makes pages and hands them to the queue; true when there are no more. */
async function walk(ctx: Context, fanOut: PushFanOut, claim: string): Promise<boolean> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if ((await cutPages(ctx, fanOut, claim)) * PAGE_PASSES < STEP_PASSES) return true;
  }
  return false;
}

type Named = Omit<JobOf<'walk-push-fan-out'>, 'type'>;

async function takeUp(ctx: Context, { accountId, fanOutId }: Named, claim: string): Promise<PushFanOut | undefined> {
  const now = Date.now();
  const isFree = or(isNull(pushFanOuts.claim), lte(pushFanOuts.dueAt, now));
  const [fanOut] = await ctx.db
    .update(pushFanOuts)
    .set({ claim, dueAt: now + WORK_LEASE_MS })
    .where(and(isFanOut(accountId, fanOutId), isNotNull(pushFanOuts.dueAt), isFree, not(isSuspended(accountId))))
    .returning();
  return fanOut;
}

/** Makes the next pages and returns how many; fewer than a step has room for: there are no more. */
async function cutPages(ctx: Context, fanOut: PushFanOut, claim: string): Promise<number> {
  const { id, accountId } = fanOut;
  const now = Date.now();
  const held = sql`exists (select 1 from ${pushFanOuts} where ${eq(pushFanOuts.id, id)} and ${eq(pushFanOuts.claim, claim)})`;
  const key = sql.raw('found.key');
  // D1 binds numbers as reals, whose quotient would be a page for each pass.
  const numbered = sql`(select ${key}, (row_number() over (order by ${key}) - 1) / ${sql.raw(String(PAGE_PASSES))} as page
    from (${nextKeys(fanOut)}) as found)`;
  const lastCut = sql`(select ${pushPages.last} from ${pushPages} where ${eq(pushPages.fanOutId, id)} order by ${pushPages.number} desc limit 1)`;
  const statements = [
    ctx.db
      .insert(pushPages)
      .select(
        sql`select ${id}, min(cut.key), max(cut.key), json_group_array(cut.key), 0, ${now}, ${now + HAND_OVER_LEASE_MS}, null, 0
          from ${numbered} as cut where ${held} group by cut.page`,
      )
      .returning({ number: pushPages.number }),
    ctx.db
      .update(pushFanOuts)
      .set({ cursor: sql`max(${pushFanOuts.cursor}, coalesce(${lastCut}, 0))`, dueAt: now + WORK_LEASE_MS })
      .where(and(isFanOut(accountId, id), eq(pushFanOuts.claim, claim))),
  ] as const;
  const [made] = await commit(ctx, statements, ([pages]) =>
    pages.map(({ number }) => ({ type: 'push-page', accountId, fanOutId: id, page: number })),
  );
  return made.length;
}

/** The keys behind the cursor; a publication also looks at the version that each pass was made with. */
function nextKeys({ id, kind, templateId, version }: PushFanOut): SQL {
  const isOlder = version === null ? sql`` : sql`and template_version < ${version}`;
  return heldPasses(
    kind,
    sql`key`,
    templateId!,
    sql`${isOlder} and key > (select ${pushFanOuts.cursor} from ${pushFanOuts} where ${eq(pushFanOuts.id, id)})
      order by key limit ${STEP_PASSES}`,
  );
}

/** Lets go of a fan-out: all of its pages are made, or another job goes on. */
async function release(ctx: Context, fanOut: PushFanOut, claim: string, isDone: boolean): Promise<void> {
  const dueAt = isDone ? null : Date.now() + HAND_OVER_LEASE_MS;
  await commit(ctx, releaseStatements(ctx, fanOut, claim, dueAt), isDone ? [] : fanOutJobs([fanOut]));
}

function releaseStatements(ctx: Context, { id, accountId }: PushFanOut, claim: string, dueAt: number | null) {
  return [
    ctx.db
      .update(pushFanOuts)
      .set({ claim: null, dueAt })
      .where(and(isFanOut(accountId, id), eq(pushFanOuts.claim, claim))),
    endFanOut(ctx, isFanOut(accountId, id)),
  ] as const;
}

function isFanOut(accountId: string, id: string): SQL {
  return and(eq(pushFanOuts.id, id), eq(pushFanOuts.accountId, accountId))!;
}
