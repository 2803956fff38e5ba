import { backgroundContext } from '../domain/context.ts';
import type { DeliveryJob } from '../domain/jobs.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';

/**
 * A queue that runs batches one after the other must not wait for a slow receiver longer than this: the run goes on
 * behind the handler.
 */
const HANDLER_MS_MAX = 1_000;
const RETRY_DELAY_S = 5;

/**
 * Answers a batch of delivery jobs by one run. They say nothing that the database does not know, so the batch is
 * acknowledged as soon as the run is under way; only one that fails early is tried again.
 */
export async function consumeDeliveryJobs(
  batch: MessageBatch<DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const run = runAndLog(batch, env, execution);
  execution.waitUntil(run);
  const failed = await Promise.race([run, new Promise<false>((resolve) => setTimeout(resolve, HANDLER_MS_MAX, false))]);
  if (failed) batch.retryAll({ delaySeconds: RETRY_DELAY_S });
  else batch.ackAll();
}

/** Returns whether the run has failed. */
async function runAndLog(batch: MessageBatch<DeliveryJob>, env: Env, execution: ExecutionContext): Promise<boolean> {
  const startedAt = performance.now();
  const requestId = batch.messages[0]?.id ?? crypto.randomUUID();
  const ctx = backgroundContext(env, requestId, (work) => execution.waitUntil(work));
  let attempts = 0;
  let error: unknown;
  try {
    const deliveryJobs = batch.messages.map(({ body }) => body);
    attempts = (await deliver(ctx, deliveryJobs)).attempts;
  } catch (thrown) {
    error = thrown;
  }
  logLine(error === undefined ? 'info' : 'error', {
    event: 'webhooks',
    requestId,
    messages: batch.messages.length,
    attempts,
    status: error === undefined ? 'done' : 'failed',
    durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    d1RoundTrips: ctx.meter.roundTrips,
    rowsRead: ctx.meter.rowsRead,
    rowsWritten: ctx.meter.rowsWritten,
    error: error === undefined ? undefined : describeError(error),
  });
  return error !== undefined;
}
