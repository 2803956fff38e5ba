import type { Env } from './env.ts';
import { Lru } from './lru.ts';

/**
 * Limits by address and by thing, counted by the Rate Limiting bindings of `wrangler.toml`, each of which has one limit. A binding that is absent limits nothing.
 *
 * `PAGE_RATE_LIMITER`, 1,200 a minute: pages and pass files for one address. A whole audience can stand behind the address of one wireless network, and opens its tickets in the same minutes.
 * `FAILURE_RATE_LIMITER`, 30 a minute: what went wrong for one address, such as unknown keys, and registrations of devices for one pass. People and programs in order get nowhere near it.
 * `ATTEMPT_RATE_LIMITER`, 10 a minute: mails with sign-in links, for one address and for one recipient. Ten colleagues behind one address may sign in in the same minute.
 */
type Limiter = 'PAGE_RATE_LIMITER' | 'FAILURE_RATE_LIMITER' | 'ATTEMPT_RATE_LIMITER';

/** Period of the bindings, and so the time after which a refused request may come again. */
export const RETRY_AFTER_S = 60;

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Parts of an IPv6 address that name a network. */
const IPV6_NETWORK_PARTS = 4;

/**
 * Whose requests count together: the address that Cloudflare names, of IPv6 the network, because a subscriber has all addresses of one. Undefined where requests are not counted: without an address, and for
 * the machine itself where LIMITS_BY_ADDRESS is `off`, as in tests, which send thousands.
 */
export function callerAddress(request: Request, env: Pick<Env, 'LIMITS_BY_ADDRESS'>): string | undefined {
  const address = request.headers.get('CF-Connecting-IP');
  if (!address) return undefined;
  if (env.LIMITS_BY_ADDRESS === 'off' && LOOPBACK.test(address)) return undefined;
  return address.includes(':') && !address.includes('.') ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
  const [first, last] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const missing = tail === undefined ? 0 : 8 - first!.length - last!.length;
  const parts = [...first!, ...Array(Math.max(0, missing)).fill('0'), ...last!];
  return parts
    .slice(0, IPV6_NETWORK_PARTS)
    .map((part) => part.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Counts one of many, and tells whether it is within the limit; without a name it is. */
export async function isWithin(env: Env, limiter: Limiter, kind: string, who: string | undefined): Promise<boolean> {
  if (who === undefined) return true;
  const counted = await env[limiter]?.limit({ key: `${kind} ${who}` });
  return counted?.success ?? true;
}

/** Until when this isolate refuses somebody after too many failures, in UTC milliseconds. */
const barred = new Lru<number>(10_000);

/** Whether somebody has failed too often, so that not even a look is worth it. The binding only counts, so each isolate remembers for itself whom it has refused. */
export function isBarred(kind: string, who: string | undefined, now = Date.now()): boolean {
  return who !== undefined && (barred.get(`${kind} ${who}`) ?? 0) > now;
}

/** Counts a failure; beyond the limit, whoever failed is barred for a minute. */
export async function noteFailure(env: Env, kind: string, who: string | undefined): Promise<void> {
  if (who === undefined || (await isWithin(env, 'FAILURE_RATE_LIMITER', kind, who))) return;
  barred.set(`${kind} ${who}`, Date.now() + RETRY_AFTER_S * 1_000);
}
