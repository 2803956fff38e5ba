import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request is signed with this secret according to Standard Webhooks. */
export function verify(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const wanted = Buffer.from(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .some((given) => given.length === wanted.length && timingSafeEqual(Buffer.from(given), wanted));
}
