import { backgroundContext, type Context } from '../domain/context.ts';
import { type KeptLetter, keepDeadLetters } from '../domain/dead-letters/keep-dead-letters.ts';
import type { Env } from '../platform/env.ts';
import { describeError, logLine } from '../platform/log.ts';

/** Name of the queue of messages that failed for good, as `wrangler.toml` has it. */
export const DEAD_LETTERS_QUEUE = 'pass-wallet-dead-letters';

const RETRY_DELAY_S = 5;
/** With it, a hundred retries outlast the four days for which a queue keeps a message. */
const RETRY_DELAY_MAX_S = 3_600;

/**
 * Keeps a batch of messages that failed for good. Behind this queue there is none, so a batch that cannot be stored is
 * tried for as long as the queue keeps it, and its messages are logged.
 */
export async function consumeDeadLetters(
  { messages }: MessageBatch<unknown>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const startedAt = performance.now();
  const requestId = messages[0]?.id ?? crypto.randomUUID();
  const ctx = backgroundContext(env, requestId, (work) => execution.waitUntil(work));
  let kept: KeptLetter[] = [];
  let error: unknown;
  try {
    kept = await keepDeadLetters(
      ctx,
      messages.map(({ id, body }) => ({ id, body })),
    );
    for (const message of messages) message.ack();
  } catch (thrown) {
    error = thrown;
    for (const message of messages) retry(message);
  }
  for (const { id, accountId, type } of kept) {
    logLine('error', { event: 'dead-letter', requestId: id, job: type, accountId });
  }
  logBatch(ctx, messages.length, startedAt, error);
}

function retry(message: Message<unknown>): void {
  const { id, body, attempts } = message;
  logLine('error', { event: 'dead-letter-not-kept', requestId: id, attempt: attempts, body: withoutDevice(body) });
  message.retry({ delaySeconds: Math.min(RETRY_DELAY_MAX_S, RETRY_DELAY_S * 2 ** (attempts - 1)) });
}

/** The identifier of a device opens the list of its passes; the pass beside it says enough. */
function withoutDevice(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'deviceId' in body ? { ...body, deviceId: '…' } : body;
}

function logBatch({ requestId, meter }: Context, messages: number, startedAt: number, error: unknown): void {
  logLine(error === undefined ? 'info' : 'error', {
    event: 'dead-letters',
    requestId,
    messages,
    status: error === undefined ? 'done' : 'retry',
    durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    d1RoundTrips: meter.roundTrips,
    rowsRead: meter.rowsRead,
    rowsWritten: meter.rowsWritten,
    error: error === undefined ? undefined : describeError(error),
  });
}
