import { backgroundContext } from '../domain/context.ts';
import { releaseImages } from '../domain/images/hold-images.ts';
import { type DeliveryJob, type Job, RetryLater, subjectOf } from '../domain/jobs.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';
import { consumeDeadLetters, DEAD_LETTERS_QUEUE } from './dead-letters.ts';
import { consumeDeliveryJobs } from './delivery-jobs.ts';
import { runJob } from './handlers.ts';

const RETRY_DELAY_S = 5;
/** The queue's own limit for a delay is 12 hours. */
const RETRY_DELAY_MAX_S = 3_600;

/** Name of the queue of delivery jobs, as `wrangler.toml` has it. */
const WEBHOOKS_QUEUE = 'pass-wallet-webhooks';

/** Takes a batch of any queue. */
export function consumeBatch(
  batch: MessageBatch<Job | DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  if (batch.queue === DEAD_LETTERS_QUEUE) return consumeDeadLetters(batch, env, execution);
  return batch.queue === WEBHOOKS_QUEUE
    ? consumeDeliveryJobs(batch as MessageBatch<DeliveryJob>, env, execution)
    : consumeJobs(batch as MessageBatch<Job>, env, execution);
}

/**
 * The only loop over jobs. Each message ends in `ack` or `retry` by itself: a handler that fails delays its own message
 * and no other, and after the queue's last retry the message goes to the dead-letter queue.
 */
async function consumeJobs(batch: MessageBatch<Job>, env: Env, execution: ExecutionContext): Promise<void> {
  await Promise.all(batch.messages.map((message) => consume(message, env, execution)));
}

async function consume(message: Message<Job>, env: Env, execution: ExecutionContext): Promise<void> {
  const startedAt = performance.now();
  const ctx = backgroundContext(env, message.id, (work) => execution.waitUntil(work));
  let error: unknown;
  try {
    await runJob(ctx, message.body);
    message.ack();
  } catch (thrown) {
    error = thrown;
    const asked = thrown instanceof RetryLater ? thrown.afterSeconds : 0;
    const delaySeconds = Math.max(asked, RETRY_DELAY_S * 2 ** (message.attempts - 1));
    message.retry({ delaySeconds: Math.min(RETRY_DELAY_MAX_S, delaySeconds) });
  }
  ctx.waitUntil(releaseImages(ctx));
  logLine(error === undefined ? 'info' : 'error', {
    event: 'job',
    requestId: message.id,
    // A letter that somebody retries is sent as it came, whatever it is.
    job: (message.body as Job | null)?.type,
    subject: message.body ? subjectOf(message.body) : undefined,
    account: ctx.meter.accountId ?? undefined,
    attempt: message.attempts,
    status: error === undefined ? 'done' : 'retry',
    durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    d1RoundTrips: ctx.meter.roundTrips,
    rowsRead: ctx.meter.rowsRead,
    rowsWritten: ctx.meter.rowsWritten,
    error: error === undefined ? undefined : describeError(error),
  });
}
