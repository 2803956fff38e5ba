import { createHmac } from 'node:crypto';
import type { Payload } from './service.ts';

/** Result of one attempt to forward an event. */
export interface Outcome {
  delivered: boolean;
  /** The status, such as `200`, or why there was no answer. */
  answer: string;
  durationMs: number;
}

/** The timeout of the service's own webhooks. */
const ANSWER_MS_MAX = 10_000;

/**
 * Posts an event like a webhook: the same body, `X-Event-Type` and the Standard Webhooks headers. `webhook-id` is the
 * payload's identifier, the same on each attempt. Redirects aren't followed, so they count as failures.
 */
export async function forward(url: string, secret: string, event: Payload, stopped: AbortSignal): Promise<Outcome> {
  const body = JSON.stringify(event.payload);
  const startedAt = performance.now();
  const outcome = (delivered: boolean, answer: string): Outcome => {
    return { delivered, answer, durationMs: Math.round(performance.now() - startedAt) };
  };
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Event-Type': event.type,
        ...signatureHeaders(secret, event.id, body),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS_MAX), stopped]),
    });
    await reply.body?.cancel();
    return outcome(reply.ok, String(reply.status));
  } catch (error) {
    return outcome(false, reasonOf(error as Failure));
  }
}

function signatureHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

type Failure = Error & { cause?: { code?: string } };

function reasonOf(error: Failure): string {
  if (error.name === 'TimeoutError') return `no answer within ${ANSWER_MS_MAX / 1_000} s`;
  if (error.cause?.code === 'ECONNREFUSED') return 'connection refused';
  return error.cause?.code ?? error.message;
}
