import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { events } from '../events/table.ts';
import { HAND_OVER_LEASE_MS, WORK_LEASE_MS } from './push-jobs.ts';
import { pendingPushes } from './table.ts';

/*
 * The claim of a push can name an event of the same batch that awaits its deliveries. The run that fans the event out
 * then holds the push without writing a claim of its own, because a fan-out takes each event once.
 */

/** A push that a run holds by one of the events that it has fanned out. */
export interface EventPush {
  accountId: string;
  passId: string;
  claim: string;
}

/**
 * Builds SQL of the claim of a push whose change has stored these events; null if none of them awaits
 * deliveries. Undefined if none can. It lasts long enough for a run that begins within the time of a hand-over.
 */
export function eventClaim({ account }: AccountContext, eventIds: string[]): SQL | undefined {
  if (!account.hasWebhooks) return undefined;
  const endsAt = Date.now() + HAND_OVER_LEASE_MS + WORK_LEASE_MS;
  const isOfChange = and(eq(events.accountId, account.id), inArray(events.id, eventIds));
  return sql`(select ${`${endsAt} `} || ${events.id} from ${events}
    where ${isOfChange} and ${events.pending} is not null order by ${events.pending} limit 1)`;
}

/** SQL over `events`: the claim of the push that names the event, or null. */
export const CLAIM_BY_EVENT: SQL = sql`(select ${pendingPushes.claim} from ${pendingPushes}
  where ${and(eq(pendingPushes.passId, events.passId), eq(pendingPushes.wallet, 'apple'), eq(pendingPushes.accountId, events.accountId))}
    and ${pendingPushes.claim} like '% ' || ${events.id})`;

/** Returns whether a claim lasts long enough to begin the work. */
export function isLongEnough({ claim }: EventPush, now: number): boolean {
  return Number.parseInt(claim, 10) >= now + WORK_LEASE_MS;
}
