import type { Context } from '../domain/context.ts';
import { enqueue, later } from '../domain/enqueue.ts';
import { type DeliveryJob, type JobOf, RetryLater, retryDelay } from '../domain/jobs.ts';
import { type PushClaim, postponePushes } from '../domain/pushes/claim-pushes.ts';
import { type EventPush, isLongEnough } from '../domain/pushes/event-claim.ts';
import { type Connections, PUSH_CONNECTIONS_MAX } from '../domain/webhooks/connections.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import { pushHeldPasses } from '../wallets/apple/push-passes.ts';

/** A push that hasn't begun after this time, because Apple answers slowly, gets a message of its own. */
const WAIT_MS_MAX = 5_000;

/**
 * Notifies the devices of passes whose pushes the run holds by their events, account by account. Never rejects. A push
 * to retry gets a message of its own; if that can't be sent, the cron finds the push.
 */
export async function pushJoined(ctx: Context, pushes: EventPush[], connections: Connections): Promise<void> {
  const endsAt = Date.now() + WAIT_MS_MAX;
  const ofAccounts = [...Map.groupBy(pushes, ({ accountId }) => accountId).values()];
  const count = ofAccounts.length > 1 ? 1 : PUSH_CONNECTIONS_MAX;
  await Promise.all(ofAccounts.map((some) => connections.push(count, () => pushOfAccount(ctx, some, count, endsAt))));
}

async function pushOfAccount(ctx: Context, pushes: EventPush[], count: number, endsAt: number): Promise<void> {
  const passIds = [...new Set(pushes.map(({ passId }) => passId))];
  const claim = { ...pushes[0]!, wallet: 'apple', passIds, claims: pushes.map((push) => push.claim) } as const;
  const now = Date.now();
  if (now >= endsAt || !pushes.every((push) => isLongEnough(push, now))) return handOver(ctx, claim, 0);
  try {
    await pushHeldPasses(ctx, claim, count);
  } catch (error) {
    const line = { event: 'job', job: 'push-passes', attempt: 1, requestId: ctx.requestId, account: claim.accountId };
    logLine('error', { ...line, status: 'retry', error: describeError(error) });
    await handOver(ctx, claim, retryDelay(1, error instanceof RetryLater ? error.afterSeconds : 0));
  }
}

/** Releases the pushes that are still held, and sends them a message of their own. */
async function handOver(ctx: Context, claim: PushClaim, afterSeconds: number): Promise<void> {
  const { accountId, passIds } = claim;
  const job: JobOf<'push-passes'> = { type: 'push-passes', accountId, passIds };
  try {
    await postponePushes(ctx, claim, afterSeconds);
    await enqueue(ctx, [later(job, afterSeconds)]);
  } catch (refused) {
    logLine('error', { event: 'enqueue', requestId: ctx.requestId, error: describeError(refused) });
  }
}

/** Sends the pushes that messages of an earlier build name to their own queue. */
export async function sendNamedPushes(env: Env, messages: readonly Message<DeliveryJob>[]): Promise<void> {
  const jobs = messages.flatMap(({ body }): JobOf<'push-passes'>[] => {
    const { accountId, passIds = [] } = body?.type === 'fan-out-events' ? body : { accountId: '' };
    return passIds.length > 0 ? [{ type: 'push-passes', accountId, passIds }] : [];
  });
  try {
    await enqueue({ env }, jobs);
  } catch (refused) {
    logLine('error', { event: 'enqueue', requestId: messages[0]?.id, error: describeError(refused) });
  }
}
