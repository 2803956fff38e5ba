import { whileRunning } from '../dev/activity.ts';
import { useDevClock } from '../dev/clock.ts';
import { type Context, noteAccount } from '../domain/context.ts';
import { keepDeadLetters, withAccount } from '../domain/dead-letters/keep-dead-letters.ts';
import { releaseImages } from '../domain/images/hold-images.ts';
import {
  type DeliveryJob,
  type Job,
  ResumableRetry,
  RetryLater,
  retryDelay,
  subjectOf,
  type Tick,
} from '../domain/jobs.ts';
import { moveRefusal } from '../domain/moved.ts';
import { Slots } from '../platform/concurrency.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import { SHARED_CONNECTIONS, SharedCalls, shareCalls } from '../wallets/google/shared-calls.ts';
import { consumeDeliveryJobs } from './delivery-jobs.ts';
import { runJob } from './handlers.ts';
import { ageOf, databaseOf, measured } from './measured.ts';

/** Longest delay in seconds that a third party may request. The queue's own limit is 12 hours. */
const RETRY_DELAY_S_MAX = 3_600;

/** Deliveries of a message before it becomes a dead letter: the first, plus `max_retries` in `wrangler.toml`. */
export const DELIVERIES_MAX = 6;

/** Prefix of the name of the queue of delivery jobs. The name of an environment in `wrangler.toml` may follow. */
const WEBHOOKS_QUEUE = 'pass-wallet-webhooks';

/** Prefix of the name of the queue of ticks. */
const TICKS_QUEUE = 'pass-wallet-ticks';

/** Handles a batch of any queue. */
export async function consumeBatch(
  batch: MessageBatch<Job | DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  await useDevClock(env);
  const bodies = batch.messages.map(({ body }) => body);
  await whileRunning(env, () => consumeQueue(batch, env, execution), bodies);
}

function consumeQueue(batch: MessageBatch<Job | DeliveryJob>, env: Env, execution: ExecutionContext): Promise<void> {
  if (batch.queue.startsWith(DEAD_LETTERS_QUEUE)) return consumeDeadLetters(batch, env, execution);
  if (batch.queue.startsWith(TICKS_QUEUE))
    return consumeTicks(batch as MessageBatch<unknown> as MessageBatch<Tick>, env, execution);
  return batch.queue.startsWith(WEBHOOKS_QUEUE)
    ? consumeDeliveryJobs(batch as MessageBatch<DeliveryJob>, env, execution)
    : consumeJobs(batch as MessageBatch<Job>, env, execution);
}

/**
 * Runs the cron tasks in the databases that the ticks name. A tick isn't retried: the next minute sends another one.
 */
async function consumeTicks(batch: MessageBatch<Tick>, env: Env, execution: ExecutionContext): Promise<void> {
  batch.ackAll();
  const ticks = batch.messages.flatMap(({ body }) => body ?? []);
  const { runTick } = await import('./cron.ts');
  await Promise.all(ticks.map((tick) => runTick(env, execution, tick)));
}

/**
 * Runs the jobs of a batch. Each message is acknowledged or retried on its own, so a failing handler delays no other
 * message. After its last attempt, a message goes to the dead-letter queue, unless the cron resumes its work.
 */
async function consumeJobs(batch: MessageBatch<Job>, env: Env, execution: ExecutionContext): Promise<void> {
  const connections = new Slots(CONNECTIONS_MAX);
  const { google = [], other = [] } = Object.groupBy(batch.messages, ({ body }) =>
    body && callsGoogle(body) ? 'google' : 'other',
  );
  const ofGoogle = async () => {
    const calls = new SharedCalls();
    const work = (message: Message<Job>) => calls.run(() => consume(message, env, execution, calls));
    await Promise.all(google.map(work));
  };
  await Promise.all([
    google.length > 0 && connections.run(SHARED_CONNECTIONS, ofGoogle),
    ...other.map((message) => connections.run(connectionsOf(message.body), () => consume(message, env, execution))),
  ]);
}

/** Simultaneous connections of an invocation (Cloudflare, Workers limits). Further ones wait while their timers run. */
const CONNECTIONS_MAX = 6;
/** Connections of jobs that open more than one. `send-message` counts twice because it holds a pass file in memory. */
const CONNECTIONS: Partial<Record<Job['type'], number>> = {
  'delete-account': 2,
  'import-pass-images': CONNECTIONS_MAX,
  'push-page': CONNECTIONS_MAX,
  'push-passes': CONNECTIONS_MAX,
  'send-message': 2,
};

function connectionsOf(job: Job | null): number {
  return (job && CONNECTIONS[job.type]) ?? 1;
}

/** Whether a job sends a pass to Google. Such jobs of a batch share their calls, so all of them run at once. */
const callsGoogle = ({ type }: Job) =>
  type === 'push-to-google' || type === 'publish-to-google' || type === 'end-google-object';

async function consume(
  message: Message<Job>,
  env: Env,
  execution: ExecutionContext,
  calls?: SharedCalls,
): Promise<void> {
  const { id, body, attempts } = message;
  // A retried dead letter is sent with its original body, which may be anything, even null.
  const line = {
    event: 'job',
    job: (body as Job | null)?.type,
    subject: body ? subjectOf(body) : undefined,
    attempt: attempts,
  };
  const name = (body as Job | null)?.type ?? 'unknown';
  const metric = { kind: 'job', name, attempt: attempts, ageMs: ageOf([message]) } as const;
  const unit = { line, metric, requestId: id, onError: 'retry', accountId: body?.accountId } as const;
  const failed = await measured(env, execution, unit, async (ctx) => {
    if (calls) shareCalls(ctx, calls);
    try {
      const job = await withAccount(ctx, body);
      if (job?.accountId) noteAccount(ctx, job.accountId);
      await runJob(ctx, job);
    } finally {
      ctx.waitUntil(releaseImages(ctx));
    }
  });
  if (!failed || isResumedByCron(failed.error, attempts)) return message.ack();
  const asked = failed.error instanceof RetryLater ? failed.error.afterSeconds : 0;
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_S_MAX, retryDelay(attempts, asked)) });
}

function isResumedByCron(error: unknown, attempts: number): boolean {
  return error instanceof ResumableRetry && attempts >= DELIVERIES_MAX;
}

/** Prefix of the name of the dead-letter queue, which takes messages that ran out of attempts; see `WEBHOOKS_QUEUE`. */
export const DEAD_LETTERS_QUEUE = 'pass-wallet-dead-letters';

/**
 * Stores a batch of failed messages. This queue has no dead-letter queue of its own, so a batch that can't be stored is
 * retried until the queue drops it, and its messages are logged.
 */
export async function consumeDeadLetters(
  { messages }: MessageBatch<unknown>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const parts = Map.groupBy(messages, ({ body }) => databaseOf(env, (body as Partial<Job> | null)?.accountId));
  await Promise.all([...parts].map(([database, part]) => consumePart(database, part, env, execution)));
}

/** Stores the messages whose accounts are in one database. */
async function consumePart(
  database: string,
  messages: readonly Message<unknown>[],
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const line = { event: 'dead-letters', messages: messages.length };
  const metric = { kind: 'job', name: 'keep-dead-letters', value: messages.length } as const;
  const unit = { line, metric, requestId, onError: 'retry', database } as const;
  // Also fails if the database can't be reached before the work begins.
  const failed = await measured(env, execution, unit, (ctx) => keep(ctx, messages));
  if (!failed) return;
  // An account that is being moved refuses the statement for all of them.
  const isShared = messages.length > 1 && moveRefusal(failed.error) !== undefined;
  if (isShared) await Promise.all(messages.map((message) => consumePart(database, [message], env, execution)));
  else for (const message of messages) retry(message);
}

async function keep(ctx: Context, messages: readonly Message<unknown>[]): Promise<void> {
  const kept = await keepDeadLetters(
    ctx,
    messages.map(({ id, body }) => ({ id, body })),
  );
  for (const message of messages) message.ack();
  for (const { id, accountId, type } of kept) {
    logLine('error', { event: 'dead-letter', requestId: id, job: type, accountId });
  }
}

function retry(message: Message<unknown>): void {
  const { id, body, attempts } = message;
  logLine('error', { event: 'dead-letter-not-kept', requestId: id, attempt: attempts, body: withoutDevice(body) });
  message.retry({ delaySeconds: retryDelay(attempts) });
}

/**
 * A device identifier gives access to the list of its passes, so it is left out. The pass beside it is enough to find
 * the cause.
 */
function withoutDevice(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'deviceId' in body ? { ...body, deviceId: '…' } : body;
}
