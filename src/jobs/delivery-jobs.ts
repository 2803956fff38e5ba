import { withAccount } from '../domain/dead-letters/account-of-job.ts';
import { type DeliveryJob, retryDelay } from '../domain/jobs.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import type { Env } from '../platform/env.ts';
import { ageOf, measured } from './measured.ts';

/**
 * A queue that runs batches one after the other must not wait for a slow receiver longer than this: the run goes on
 * behind the handler.
 */
const HANDLER_MS_MAX = 1_000;

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
  if (failed) batch.retryAll({ delaySeconds: retryDelay(1) });
  else batch.ackAll();
}

/** Returns whether the run has failed. */
async function runAndLog({ messages }: MessageBatch<DeliveryJob>, env: Env, execution: ExecutionContext) {
  const line = { event: 'webhooks', messages: messages.length };
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const metric = { kind: 'job', name: 'deliver-webhooks', value: messages.length, ageMs: ageOf(messages) } as const;
  const failed = await measured(env, execution, { line, metric, requestId, onError: 'failed' }, async (ctx) => {
    const jobs = await Promise.all(messages.map(({ body }) => withAccount(ctx, body)));
    Object.assign(line, await deliver(ctx, jobs));
  });
  return failed !== undefined;
}
