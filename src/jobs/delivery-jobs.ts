import type { Context } from '../domain/context.ts';
import { withAccount } from '../domain/dead-letters/keep-dead-letters.ts';
import { enqueue, later } from '../domain/enqueue.ts';
import { type DeliveryJob, type JobOf, RetryLater, retryDelay, subjectOf } from '../domain/jobs.ts';
import { type PushClaim, postponePushes } from '../domain/pushes/claim-pushes.ts';
import { type EventPush, isLongEnough } from '../domain/pushes/event-claim.ts';
import { Connections, PUSH_CONNECTIONS_MAX } from '../domain/webhooks/connections.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import { pushHeldPasses } from '../wallets/apple/push-passes.ts';
import { ageOf, databaseOf, measured } from './measured.ts';

/**
 * A queue that runs its batches one after the other must not wait longer than this for a slow receiver: the run
 * continues after the handler returns.
 */
const HANDLER_MS_MAX = 1_000;

/**
 * Handles a batch of delivery jobs with one run per database, along with the pushes of the same changes. All of them
 * share the connections of the invocation. The messages hold nothing that the database doesn't, so they are
 * acknowledged once the runs have started, except those whose job fails early.
 */
export async function consumeDeliveryJobs(
  batch: MessageBatch<DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const connections = new Connections();
  const parts = [...Map.groupBy(batch.messages, ({ body }) => databaseOf(env, body?.accountId))].map(
    ([database, messages]): Part => ({ database, messages, connections, failed: new Set() }),
  );
  await Promise.all(parts.map((part) => begin(runAndLog(part, env, execution), execution)));
  await sendNamedPushes(env, batch.messages);
  for (const { messages, failed } of parts) {
    for (const message of messages) {
      if (failed.has(message)) message.retry({ delaySeconds: retryDelay(message.attempts) });
      else message.ack();
    }
  }
}

/** Messages of a batch that belong to one database, and the connections of the batch. */
interface Part {
  database: string;
  messages: readonly Message<DeliveryJob>[];
  connections: Connections;
  /** Messages whose job has failed so far: while an account moves, only its own. */
  failed: Set<Message<DeliveryJob>>;
}

/** Waits for the beginning of a run, which a slow receiver may delay. */
async function begin(run: Promise<void>, execution: ExecutionContext): Promise<void> {
  execution.waitUntil(run);
  await Promise.race([run, new Promise((resolve) => setTimeout(resolve, HANDLER_MS_MAX))]);
}

/** Runs the deliveries and logs the result. */
async function runAndLog(
  { database, messages, connections, failed }: Part,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const line = { event: 'webhooks', messages: messages.length };
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const metric = { kind: 'job', name: 'deliver-webhooks', value: messages.length, ageMs: ageOf(messages) } as const;
  const unit = { line, metric, requestId, onError: 'failed', database } as const;
  const error = await measured(env, execution, unit, async (ctx) => {
    const jobs = await Promise.all(messages.map(({ body }) => withAccount(ctx, body)));
    const push = (pushes: EventPush[]) => pushJoined(ctx, pushes, connections);
    const onFailure = (one: DeliveryJob) => {
      for (const [i, job] of jobs.entries()) if (isSame(job, one)) failed.add(messages[i]!);
    };
    Object.assign(line, await deliver(ctx, jobs, { connections, push, onFailure }));
  });
  // The run failed as a whole.
  if (error && failed.size === 0) for (const message of messages) failed.add(message);
}

/** Whether two jobs ask for the same work. */
function isSame(one: DeliveryJob, other: DeliveryJob): boolean {
  return one.type === other.type && subjectOf(one) === subjectOf(other);
}

/** A push that hasn't begun after this time, because Apple answers slowly, gets a message of its own. */
const WAIT_MS_MAX = 5_000;

/**
 * Notifies the devices of passes whose pushes the run holds by their events, account by account. Never rejects. A push
 * to retry gets a message of its own; if that can't be sent, the cron finds the push.
 */
async function pushJoined(ctx: Context, pushes: EventPush[], connections: Connections): Promise<void> {
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
async function sendNamedPushes(env: Env, messages: readonly Message<DeliveryJob>[]): Promise<void> {
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
