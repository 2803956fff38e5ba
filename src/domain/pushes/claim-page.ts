import { and, eq, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { recordAtHome } from '../databases/follow-moves.ts';
import { factStatements, type PassFact } from '../pass-facts/append-facts.ts';
import { passes } from '../passes/table.ts';
import { isSuspended } from '../suspended.ts';
import { heldSource } from './begin-fan-out.ts';
import { HAND_OVER_LEASE_MS, WORK_LEASE_MS } from './push-jobs.ts';
import { type FanOutKind, NO_RANGE, type PushPage, pushFanOuts, pushPages } from './table.ts';

/** A page of a fan-out, claimed by one job. */
export interface PageClaim {
  accountId: string;
  fanOutId: string;
  page: number;
  /** Claim token of the job. */
  claim: string;
}

const isPage = ({ fanOutId, page }: PageClaim) => and(eq(pushPages.fanOutId, fanOutId), eq(pushPages.number, page));
const isHeld = (claim: PageClaim) => and(isPage(claim), eq(pushPages.claim, claim.claim));

/** SQL of the account of a row of `push_pages`. */
export const ACCOUNT_OF_PAGE = sql`(select ${pushFanOuts.accountId} from ${pushFanOuts} where ${pushFanOuts.id} = ${pushPages.fanOutId})`;

/**
 * Builds the statement that claims a page and returns it. Pages in progress and those of suspended accounts aren't
 * claimed, and two jobs never hold the same page.
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

/** Result of `claimPage`. */
export type HeldPage = Pick<PushPage, 'revision' | 'attempts' | 'last' | 'keys'>;

/** Builds the statement that reads a fan-out. */
export function fanOutQuery(ctx: Context, claim: PageClaim) {
  return ctx.db.select().from(pushFanOuts).where(isFanOutOf(claim));
}

function isFanOutOf({ accountId, fanOutId }: PageClaim): SQL {
  return and(eq(pushFanOuts.id, fanOutId), eq(pushFanOuts.accountId, accountId))!;
}

/**
 * Builds the query of a page's passes: their keys in a column `key`. Returns none unless the claim is valid and `asks`
 * holds for the fan-out. Cross joins keep their order, so keys are unpacked only if needed.
 */
export function keysOfPage(claim: PageClaim, asks: SQL = sql`true`): SQL {
  return sql`(select page_key.value as key from ${pushFanOuts} cross join ${pushPages} cross join json_each(${pushPages.keys}) as page_key
    where ${isFanOutOf(claim)} and ${asks} and ${isHeld(claim)})`;
}

/** Builds the condition that the claim is still valid. */
export function isClaimHeld(claim: PageClaim): SQL {
  return sql`exists (select 1 from ${pushPages} where ${isHeld(claim)})`;
}

/**
 * Builds the statement that stores the revision that the page's passes get with their text, for the batch that writes
 * both.
 */
export function noteRevision(ctx: Context, claim: PageClaim, revision: number) {
  return ctx.db.update(pushPages).set({ revision }).where(isHeld(claim));
}

/**
 * Deletes a finished page, and its fan-out with the last page. Adds facts to timelines. While the account moves, it
 * waits: otherwise the devices would be notified again.
 */
export async function settlePage(ctx: Context, claim: PageClaim, facts: PassFact[] = []): Promise<void> {
  await recordAtHome(ctx, claim.accountId, (home) =>
    home.db.batch([
      home.db.delete(pushPages).where(isHeldAt(home, ctx, claim)),
      endFanOut(home, isFanOutOf(claim)),
      ...factStatements(home, claim.accountId, facts),
    ]),
  );
}

/** Builds the condition that a claim is still valid where its account lives: another database numbers pages anew. */
function isHeldAt(home: Context, claimedAt: Context, claim: PageClaim): SQL {
  if (home === claimedAt) return isHeld(claim)!;
  return and(eq(pushPages.fanOutId, claim.fanOutId), eq(pushPages.claim, claim.claim))!;
}

/** Builds the statement that deletes the selected fan-outs that have nothing left to do. */
export function endFanOut(ctx: Context, selected: SQL) {
  const isDone = sql`not exists (select 1 from ${pushPages} where ${pushPages.fanOutId} = ${pushFanOuts.id})`;
  return ctx.db.delete(pushFanOuts).where(and(selected, isNull(pushFanOuts.dueAt), isDone));
}

/**
 * Releases a page to be retried in `afterSeconds`, by the queue's next delivery or else by the cron. With `passIds`,
 * only these passes remain in it. Adds `facts` to timelines. While the account moves, it waits like `settlePage`.
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
  await recordAtHome(ctx, claim.accountId, (home) => {
    const postpone = home.db
      .update(pushPages)
      .set({ claim: null, dueAt, ...only })
      .where(isHeldAt(home, ctx, claim));
    return home.db.batch([postpone, ...factStatements(home, claim.accountId, facts)]);
  });
}

/** The passes of a page in SQL: `from` follows `from`, `updated` follows `update`, each with its condition. */
export interface PagePasses {
  from: SQL;
  where: SQL;
  updated: SQL;
  whereUpdated: SQL;
}

/** Stands for a revision: an earlier release left only passes in the page that have their text. */
const EARLIER_RELEASE = 1;

/** Returns the passes of a page by their keys. */
export function listedPasses({ accountId }: PageClaim, { keys }: HeldPage): PagePasses {
  const listed = sql`json_each(${JSON.stringify(keys)})`;
  const isOwn = sql`+${passes.accountId} = ${accountId}`;
  return {
    from: sql`${listed} as page_key cross join ${passes} on ${passes.key} = page_key.value`,
    where: isOwn,
    updated: sql`${passes}`,
    whereUpdated: sql`${passes.key} in (select value from ${listed}) and ${isOwn}`,
  };
}

/**
 * Returns the passes of a page, or those at Google. Until some are done, they are the passes of the template between
 * the page's ends, which an index lists in order without unpacking keys. A pass added since is included, because it
 * must get the text as well.
 */
export function passesOfPage(
  kind: FanOutKind,
  claim: PageClaim,
  page: HeldPage,
  templateId: string | null,
): PagePasses {
  if (templateId === null || page.last === NO_RANGE || page.revision === EARLIER_RELEASE)
    return listedPasses(claim, page);
  const { source, isHeld } = heldSource(kind, templateId);
  const isBetween = sql`${passes.key} between ${claim.page} and ${page.last}`;
  const where = sql`${isHeld} and ${isBetween} and +${passes.accountId} = ${claim.accountId}`;
  return { from: source, where, updated: source, whereUpdated: where };
}

/** Builds the condition on `passes` that a pass got the page's text and hasn't changed since. */
export function hasGotText({ revision }: HeldPage): SQL {
  return revision === EARLIER_RELEASE ? sql`true` : sql`${passes.revision} = ${revision}`;
}
