import * as z from 'zod';

/*
 * Protocol of a relay (scripts/apns-relay): `POST <its address>/v1/pushes` with `Authorization: Bearer <token>` and a
 * `RelayRequest`. The reply is a `RelayReply` with one outcome per token, in order.
 */

export const RELAY_PATH = '/v1/pushes';
/** Maximum tokens per request. A sender with more makes several requests. */
export const RELAY_TOKENS_MAX = 500;
/** The relay replies within this time. Pushes that haven't ended by then count as `retry`. */
export const RELAY_ANSWER_MS_MAX = 12_000;

export const RelayRequest = z.object({
  topic: z.string().regex(/^[\w.-]{1,255}$/, 'is not a pass type identifier'),
  tokens: z
    .array(z.string().regex(/^[\w.:-]{1,256}$/, 'is not a push token'))
    .min(1)
    .max(RELAY_TOKENS_MAX),
});
export type RelayRequest = z.output<typeof RelayRequest>;

export const RelayReply = z.object({
  outcomes: z.array(
    z.discriminatedUnion('outcome', [
      z.object({ outcome: z.literal('sent') }),
      z.object({ outcome: z.literal('gone') }),
      z.object({ outcome: z.literal('retry'), afterSeconds: z.number().min(0).optional(), reason: z.string() }),
      z.object({ outcome: z.literal('refused'), reason: z.string() }),
    ]),
  ),
});
export type RelayReply = z.output<typeof RelayReply>;
