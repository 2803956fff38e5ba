import { withAccount } from '../domain/dead-letters/account-of-job.ts';
import { type DeliveryJob, retryDelay } from '../domain/jobs.ts';
import type { EventPush } from '../domain/pushes/event-claim.ts';
import { Connections } from '../domain/webhooks/connections.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import type { Env } from '../platform/env.ts';
import { pushJoined, sendNamedPushes } from './joined-pushes.ts';
import { ageOf, databaseOf, measured } from './measured.ts';

/**
 * A queue that runs its batches one after the other must not wait longer than this for a slow receiver: the run
 * continues after the handler returns.
 */
const HANDLER_MS_MAX = 1_000;

/**
 * Handles a batch of delivery jobs with one run per database, along with the pushes of the same changes. All of them
 * share the connections of the invocation. The messages hold nothing that the database doesn't, so the batch is
 * acknowledged once the runs have started. A run that fails early is retried.
 */
export async function consumeDeliveryJobs(
  batch: MessageBatch<DeliveryJob>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const parts = [...Map.groupBy(batch.messages, ({ body }) => databaseOf(env, body?.accountId))];
  const connections = new Connections();
  const runs = parts.map(([database, messages]) => runAndLog({ database, messages, connections }, env, execution));
  const failed = await Promise.all(runs.map((run) => begin(run, execution)));
  await sendNamedPushes(env, batch.messages);
  if (!failed.includes(true)) return batch.ackAll();
  if (!failed.includes(false)) return batch.retryAll({ delaySeconds: retryDelay(1) });
  for (const [i, [, messages]] of parts.entries()) {
    for (const message of messages) {
      if (failed[i]) message.retry({ delaySeconds: retryDelay(1) });
      else message.ack();
    }
  }
}

/** Messages of a batch that belong to one database, and the connections of the batch. */
interface Part {
  database: string;
  messages: readonly Message<DeliveryJob>[];
  connections: Connections;
}

/** Waits for the beginning of a run. Returns whether it failed early. */
function begin(run: Promise<boolean>, execution: ExecutionContext): Promise<boolean> {
  execution.waitUntil(run);
  return Promise.race([run, new Promise<false>((resolve) => setTimeout(resolve, HANDLER_MS_MAX, false))]);
}

/** Runs the deliveries and logs the result. Returns whether the run failed. */
async function runAndLog(
  { database, messages, connections }: Part,
  env: Env,
  execution: ExecutionContext,
): Promise<boolean> {
  const line = { event: 'webhooks', messages: messages.length };
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const metric = { kind: 'job', name: 'deliver-webhooks', value: messages.length, ageMs: ageOf(messages) } as const;
  const unit = { line, metric, requestId, onError: 'failed', database } as const;
  const failed = await measured(env, execution, unit, async (ctx) => {
    const jobs = await Promise.all(messages.map(({ body }) => withAccount(ctx, body)));
    const push = (pushes: EventPush[]) => pushJoined(ctx, pushes, connections);
    Object.assign(line, await deliver(ctx, jobs, { connections, push }));
  });
  return failed !== undefined;
}
