import { and, eq, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { factStatements, type PassFact } from '../pass-facts/append-facts.ts';
import { passes } from '../passes/table.ts';
import { isSuspended } from '../suspended.ts';
import { HAND_OVER_LEASE_MS, WORK_LEASE_MS } from './leases.ts';
import { type PushPage, pushFanOuts, pushPages } from './table.ts';

/** A page of a fan-out in the hands of one job. */
export interface PageClaim {
  accountId: string;
  fanOutId: string;
  page: number;
  /** Token of the job. */
  claim: string;
}

/** `last` of a page of which some passes are left. */
export const NO_RANGE = 0;

const isPage = ({ fanOutId, page }: PageClaim) => and(eq(pushPages.fanOutId, fanOutId), eq(pushPages.number, page));
const isHeld = (claim: PageClaim) => and(isPage(claim), eq(pushPages.claim, claim.claim));

/** SQL for the account of a row of `push_pages`. */
export const ACCOUNT_OF_PAGE = sql`(select ${pushFanOuts.accountId} from ${pushFanOuts} where ${pushFanOuts.id} = ${pushPages.fanOutId})`;

/**
 * The statement that takes a page nobody works on, and returns it; none of a suspended account. Two jobs never hold
 * one.
 */
export function claimPage(ctx: Context, claim: PageClaim, now = Date.now()) {
  return ctx.db
    .update(pushPages)
    .set({ claim: claim.claim, dueAt: now + WORK_LEASE_MS, attempts: sql`${pushPages.attempts} + 1` })
    .where(
      and(isPage(claim), or(isNull(pushPages.claim), lte(pushPages.dueAt, now)), not(isSuspended(claim.accountId))),
    )
    .returning({
      revision: pushPages.revision,
      attempts: pushPages.attempts,
      last: pushPages.last,
      keys: pushPages.keys,
    });
}

/** What `claimPage` returns. */
export type HeldPage = Pick<PushPage, 'revision' | 'attempts' | 'last' | 'keys'>;

/** The statement that reads a fan-out. */
export function fanOutQuery(ctx: Context, claim: PageClaim) {
  return ctx.db.select().from(pushFanOuts).where(isFanOutOf(claim));
}

function isFanOutOf({ accountId, fanOutId }: PageClaim): SQL {
  return and(eq(pushFanOuts.id, fanOutId), eq(pushFanOuts.accountId, accountId))!;
}

/**
 * SQL for a query of the passes of a page: their keys in a column `key`. None unless the claim holds it and `asks`
 * applies to its fan-out. Cross joins keep their order: nobody unpacks keys that are not asked for.
 */
export function keysOfPage(claim: PageClaim, asks: SQL = sql`true`): SQL {
  return sql`(select page_key.value as key from ${pushFanOuts} cross join ${pushPages} cross join json_each(${pushPages.keys}) as page_key
    where ${isFanOutOf(claim)} and ${asks} and ${isHeld(claim)})`;
}

/** SQL that holds as long as the claim does. */
export function stillHeld(claim: PageClaim): SQL {
  return sql`exists (select 1 from ${pushPages} where ${isHeld(claim)})`;
}

/** The statement that notes the revision that passes of a page get with their text, for the batch that writes both. */
export function noteRevision(ctx: Context, claim: PageClaim, revision: number) {
  return ctx.db.update(pushPages).set({ revision }).where(isHeld(claim));
}

/** Removes a page that is done, and with the last one its fan-out; and adds facts to timelines. */
export async function settlePage(ctx: Context, claim: PageClaim, facts: PassFact[] = []): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(pushPages).where(isHeld(claim)),
    endFanOut(ctx, isFanOutOf(claim)),
    ...factStatements(ctx, claim.accountId, facts),
  ]);
}

/** The statement that removes those of the selected fan-outs which have nothing left to do. */
export function endFanOut(ctx: Context, selected: SQL) {
  const isDone = sql`not exists (select 1 from ${pushPages} where ${pushPages.fanOutId} = ${pushFanOuts.id})`;
  return ctx.db.delete(pushFanOuts).where(and(selected, isNull(pushFanOuts.dueAt), isDone));
}

/**
 * Lets go of a page that is to be tried again in `afterSeconds`, by the queue's next delivery or, should that not come,
 * by the cron; with `passIds` only these passes are left in it. Adds `facts` to timelines.
 */
export async function postponePage(
  ctx: Context,
  claim: PageClaim,
  afterSeconds: number,
  { passIds, facts = [] }: { passIds?: string[]; facts?: PassFact[] } = {},
): Promise<void> {
  const dueAt = Date.now() + afterSeconds * 1_000 + HAND_OVER_LEASE_MS;
  const only = passIds && {
    keys: sql`(select json_group_array(${passes.key}) from ${passes}
      where ${passes.id} in (select value from json_each(${JSON.stringify(passIds)})))`,
    last: NO_RANGE,
  };
  const postpone = ctx.db
    .update(pushPages)
    .set({ claim: null, dueAt, ...only })
    .where(isHeld(claim));
  await ctx.db.batch([postpone, ...factStatements(ctx, claim.accountId, facts)]);
}
