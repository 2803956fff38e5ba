import { withAccount } from '../domain/dead-letters/account-of-job.ts';
import { type DeliveryJob, retryDelay } from '../domain/jobs.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import type { Env } from '../platform/env.ts';
import { pushJoined } from './joined-pushes.ts';
import { ageOf, databaseOf, measured } from './measured.ts';

/**
 * A queue that runs its batches one after the other must not wait longer than this for a slow receiver: the run
 * continues after the handler returns.
 */
const HANDLER_MS_MAX = 1_000;

/**
 * Handles a batch of delivery jobs with one run per database, along with the pushes that were joined to them. The
 * messages hold nothing that the database doesn't, so the batch is acknowledged once the runs have started. A run that
 * fails early is retried.
 */
export async function consumeDeliveryJobs(
  batch: MessageBatch<DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const parts = [...Map.groupBy(batch.messages, ({ body }) => databaseOf(env, body?.accountId))];
  const failed = await Promise.all(parts.map(([database, messages]) => begin({ database, messages }, env, execution)));
  if (!failed.includes(true)) return batch.ackAll();
  if (!failed.includes(false)) return batch.retryAll({ delaySeconds: retryDelay(1) });
  for (const [i, [, messages]] of parts.entries()) {
    for (const message of messages) {
      if (failed[i]) message.retry({ delaySeconds: retryDelay(1) });
      else message.ack();
    }
  }
}

/** Messages of a batch that belong to one database. */
interface Part {
  database: string;
  messages: readonly Message<DeliveryJob>[];
}

/** Starts a run. Returns whether it failed early. */
function begin(part: Part, env: Env, execution: ExecutionContext): Promise<boolean> {
  const pushes = pushJoined(part.messages, env, execution);
  const run = runAndLog(part, env, execution, pushes);
  execution.waitUntil(Promise.all([run, pushes]));
  const ended = run.then((failed) => failed || pushes?.then(() => false) || false);
  return Promise.race([ended, new Promise<false>((resolve) => setTimeout(resolve, HANDLER_MS_MAX, false))]);
}

/** Runs the deliveries and logs the result. Returns whether the run failed. */
async function runAndLog(
  { database, messages }: Part,
  env: Env,
  execution: ExecutionContext,
  besides?: Promise<unknown>,
) {
  const line = { event: 'webhooks', messages: messages.length };
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const metric = { kind: 'job', name: 'deliver-webhooks', value: messages.length, ageMs: ageOf(messages) } as const;
  const unit = { line, metric, requestId, onError: 'failed', database } as const;
  const failed = await measured(env, execution, unit, async (ctx) => {
    const jobs = await Promise.all(messages.map(({ body }) => withAccount(ctx, body)));
    Object.assign(line, await deliver(ctx, jobs, besides));
  });
  return failed !== undefined;
}
