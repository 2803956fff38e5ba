import { withAccount } from '../domain/dead-letters/account-of-job.ts';
import { type DeliveryJob, retryDelay, subjectOf } from '../domain/jobs.ts';
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
