import { slicesOf } from '../../../platform/chunks.ts';
import { parseJson } from '../../../platform/json.ts';
import { fetchOutbound, type OutboundOptions, type Outcome } from '../../../platform/outbound.ts';
import { trimEnd } from '../../../platform/text.ts';
import { retryLater } from './direct-transport.ts';
import type { PushOutcome, PushTransport } from './push-sender.ts';
import { RELAY_ANSWER_MS_MAX, RELAY_PATH, RELAY_TOKENS_MAX, RelayReply } from './relay-protocol.ts';

/** The relay's own limit, plus time for the network. */
const TIMEOUT_MS = RELAY_ANSWER_MS_MAX + 3_000;
const BYTES_MAX = 256 * 1024;

export interface Relay {
  /** URL of the relay; its path is kept. */
  url: string;
  token: () => Promise<string>;
}

/** Pushes through a relay, up to 500 devices per request. `options` are passed to the check of outbound URLs. */
export function relayTransport(
  { url, token }: Relay,
  options: Pick<OutboundOptions, 'allowLocal' | 'fetch'> = {},
): PushTransport {
  const address = trimEnd(url, '/') + RELAY_PATH;
  return {
    async push(topic, tokens) {
      const authorization = `Bearer ${await token()}`;
      const outcomes: PushOutcome[] = [];
      for (const some of slicesOf(tokens, RELAY_TOKENS_MAX)) {
        const reply = await fetchOutbound(address, {
          ...options,
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ topic, tokens: some }),
          timeoutMs: TIMEOUT_MS,
          bytesMax: BYTES_MAX,
        });
        outcomes.push(...outcomesOf(reply, some.length));
      }
      return outcomes;
    },
  };
}

function outcomesOf(reply: Outcome, count: number): PushOutcome[] {
  if (reply.kind === 'ok' && reply.status === 200) {
    const parsed = RelayReply.safeParse(parseJson(new TextDecoder().decode(reply.body)));
    if (parsed.success && parsed.data.outcomes.length === count) return parsed.data.outcomes;
  }
  const outcome = failureOf(reply);
  return Array.from({ length: count }, () => outcome);
}

/**
 * Returns the outcome of a failed request. A relay that is down or busy is retried; one that rejects our token or has a
 * forbidden URL needs an operator.
 */
function failureOf(reply: Outcome): PushOutcome {
  if (reply.kind === 'invalid_url' || reply.kind === 'private_address') {
    return { outcome: 'refused', reason: `The relay's address is not allowed: ${reply.message}` };
  }
  if ('message' in reply) return { outcome: 'retry', reason: `The relay: ${reply.message}` };
  const { status } = reply;
  if (status === 200) return { outcome: 'retry', reason: 'The relay sent an invalid reply' };
  const reason = `The relay answered ${status}`;
  if (status === 408 || status === 429 || status >= 500) {
    return retryLater(reason, 'headers' in reply ? reply.headers.get('retry-after') : undefined);
  }
  return { outcome: 'refused', reason };
}
