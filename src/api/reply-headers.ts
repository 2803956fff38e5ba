export type Json = Record<string, unknown>;

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Headers of replies, by their names in the contract document. */
export const REPLY_HEADERS = {
  'X-Request-Id': text('Identifies the request in the service’s log'),
  'X-D1-Bookmark': text('Send it with your next request to read at least the state of this reply'),
  'RateLimit-Policy': text('Quota and window of the key'),
  RateLimit: text('Remaining quota, and seconds until it is reset'),
  'Retry-After': text('Seconds to wait'),
  'Idempotent-Replayed': text('`true`: repeats the reply of the first request with this Idempotency-Key'),
};

type HeaderName = keyof typeof REPLY_HEADERS;

/** Returns the headers of a reply with this status. `repeatable`: the operation takes an Idempotency-Key. */
export function headerRefs(status: number, repeatable = false): Json {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status !== 401) names.push('X-D1-Bookmark', 'RateLimit-Policy');
  if (status === 429) names.push('RateLimit', 'Retry-After');
  if (status === 503) names.push('Retry-After');
  if (repeatable) names.push('Idempotent-Replayed');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
