import type { Context } from '../domain/context.ts';
import { keepDeadLetters } from '../domain/dead-letters/keep-dead-letters.ts';
import { type Job, retryDelay } from '../domain/jobs.ts';
import { moveRefusal } from '../domain/moved.ts';
import type { Env } from '../platform/env.ts';
import { logLine } from '../platform/log.ts';
import { databaseOf, measured } from './measured.ts';

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
