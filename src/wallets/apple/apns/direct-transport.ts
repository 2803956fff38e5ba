import { APNS_ORIGIN, outcomeOf, PUSH_BODY, pushHeaders, pushPath } from './push-request.ts';
import type { PushOutcome, PushTransport } from './push-transport.ts';

const TIMEOUT_MS = 8_000;
/** A Worker has six connections at a time. */
const PUSHES_AT_A_TIME = 6;

/** What sends the requests: the global `fetch`, or that of an mTLS binding, which presents the pass certificate. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Pushes straight to Apple's push service, one request a device. `authorization` gives the provider token, where no
 * client certificate speaks for the sender. Whether the request travels by HTTP/2, which Apple demands, is the
 * platform's to decide: Cloudflare does that where the other side offers it, a local Worker cannot.
 */
export function directTransport(send: Send, authorization?: () => Promise<string>): PushTransport {
  async function pushOne(headers: Record<string, string>, token: string): Promise<PushOutcome> {
    try {
      const response = await send(`${APNS_ORIGIN}${pushPath(token)}`, {
        method: 'POST',
        headers,
        body: PUSH_BODY,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const retryAfter = response.headers.get('retry-after');
      return outcomeOf({ status: response.status, body: await response.text(), retryAfter });
    } catch (error) {
      return { outcome: 'retry', reason: failureOf(error) };
    }
  }
  return {
    async push(topic, tokens) {
      const headers = pushHeaders(topic);
      if (authorization) headers.authorization = `bearer ${await authorization()}`;
      const outcomes = new Array<PushOutcome>(tokens.length);
      const waiting = tokens.entries();
      const work = async () => {
        // The iterator is shared: each round takes the next token that nobody has taken.
        for (const [index, token] of waiting) outcomes[index] = await pushOne(headers, token);
      };
      await Promise.all(Array.from({ length: Math.min(PUSHES_AT_A_TIME, tokens.length) }, work));
      return outcomes;
    },
  };
}

function failureOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `Apple's push service did not answer within ${TIMEOUT_MS / 1_000} s`;
  }
  return `Apple's push service cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
}
