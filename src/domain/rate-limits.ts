import type { Env } from '../platform/env.ts';
import { isLoopback } from '../platform/local-request.ts';
import { Lru } from '../platform/lru.ts';
import { DomainError, type ErrorKind, tooManyRequests } from './errors.ts';

/**
 * The Rate Limiting bindings as `wrangler.toml` has them: how many, in how many seconds. A binding has one number, so
 * limits share it; each counts by itself. An absent binding limits nothing.
 */
export const RATES = {
  /** A crowd can stand behind one address (NAT), and each page is a few requests. */
  TRAFFIC_RATE_LIMITER: { limit: 600, period: 10 },
  /** A venue that admits ten people a second, or a pass that as many add. */
  CROWD_RATE_LIMITER: { limit: 600, period: 60 },
  /** Two devices a second behind one address add the same pass; a made-up device costs an event and pushes. */
  REGISTRATION_RATE_LIMITER: { limit: 120, period: 60 },
  /** Attempts that went wrong. People who mistype get nowhere near it, nor do programs in order. */
  ATTEMPT_RATE_LIMITER: { limit: 30, period: 60 },
  /** Messages to one recipient. */
  RECIPIENT_RATE_LIMITER: { limit: 10, period: 60 },
} as const;

/** Each limit, by the binding that counts it. `docs/security.md` lists them all with their numbers. */
const LIMITS = {
  /** By address: pages, their pictures, and pass files. */
  page: 'TRAFFIC_RATE_LIMITER',
  image: 'TRAFFIC_RATE_LIMITER',
  health: 'TRAFFIC_RATE_LIMITER',
  console: 'TRAFFIC_RATE_LIMITER',
  /** By address: Apple's web service without registrations; files apart, because a push to a crowd asks for both. */
  wallet: 'TRAFFIC_RATE_LIMITER',
  'wallet-file': 'TRAFFIC_RATE_LIMITER',
  /** By address, and by link: the scanner. A gate that comes back online sends all scans of its offline time. */
  scanner: 'TRAFFIC_RATE_LIMITER',
  'scanner-link': 'TRAFFIC_RATE_LIMITER',
  'registration-by-pass': 'CROWD_RATE_LIMITER',
  'registration-by-address': 'CROWD_RATE_LIMITER',
  registration: 'REGISTRATION_RATE_LIMITER',
  'device-list': 'CROWD_RATE_LIMITER',
  'device-log': 'CROWD_RATE_LIMITER',
  'sign-in-mail': 'ATTEMPT_RATE_LIMITER',
  print: 'ATTEMPT_RATE_LIMITER',
  'sign-in-mail-to': 'RECIPIENT_RATE_LIMITER',
  'webhook-test': 'RECIPIENT_RATE_LIMITER',
} as const satisfies Record<string, keyof typeof RATES>;

export type RateLimitName = keyof typeof LIMITS;

/**
 * What goes wrong: by address, and unknown codes by link and address. Wrong PINs and unknown `userProvidedId`s are one.
 */
export type FailureName =
  | 'key'
  | 'guess'
  | 'code'
  | 'scanner-token'
  | 'sign-in-token'
  | 'setup-token'
  | 'google'
  | 'twilio';

const FAILURES = RATES.ATTEMPT_RATE_LIMITER;
const MESSAGE = 'Too many requests; try again later';

/**
 * Groups of an IPv6 address that name a network: providers hand out a whole /64, so one caller has all its addresses.
 */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Whose requests count together: an IPv4 address, or the /64 of an IPv6 address. Undefined where nothing is counted:
 * for a caller that nobody names, and for a loopback address where LIMITS_BY_ADDRESS is `off`.
 */
export function callerNetwork({ headers }: Request, env: Pick<Env, 'LIMITS_BY_ADDRESS'>): string | undefined {
  const address = headers.get('CF-Connecting-IP')?.trim().toLowerCase();
  if (!address || (env.LIMITS_BY_ADDRESS === 'off' && isLoopback(address))) return undefined;
  if (!address.includes(':') || address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [before = '', after] = address.split('::');
  const groupsOf = (text = '') => (text === '' ? [] : text.split(':'));
  const [first, last] = [groupsOf(before), groupsOf(after)];
  const zeros = after === undefined ? 0 : Math.max(0, GROUPS - first.length - last.length);
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}

/** Counts one request; throws too many requests beyond the limit. Without `who` nothing is counted. No round trip. */
export async function enforceRateLimit(env: Env, name: RateLimitName, who: string | undefined): Promise<void> {
  if (who === undefined) return;
  const binding = LIMITS[name];
  const taken = await env[binding]?.limit({ key: `${name} ${who}` });
  if (taken && !taken.success) throw tooManyRequests(MESSAGE, RATES[binding].period);
}

/** Failures of one caller as this isolate has seen them. */
interface Tally {
  failures: number;
  /** Attempts whose end is not known: until then they count as failures, or a burst would be answered whole. */
  pending: number;
  /** When the failures are forgotten, UTC milliseconds. */
  endsAt: number;
}

const TALLIES_MAX = 10_000;
/** The binding cannot be asked without counting, so each isolate remembers what it has counted, and whom it refuses. */
const tallies = new Lru<Tally>(TALLIES_MAX);

function liveTally(key: string): Tally | undefined {
  const tally = tallies.get(key);
  if (tally && tally.endsAt <= Date.now()) tally.failures = 0;
  return tally;
}

function tallyFor(key: string): Tally {
  const tally = liveTally(key) ?? { failures: 0, pending: 0, endsAt: 0 };
  if (tally.failures === 0) tally.endsAt = Date.now() + FAILURES.period * 1_000;
  tallies.set(key, tally);
  return tally;
}

function hasFailedTooOften(name: FailureName, who: string | undefined): boolean {
  const tally = who === undefined ? undefined : liveTally(`${name} ${who}`);
  return tally !== undefined && tally.failures + tally.pending >= FAILURES.limit;
}

/** Throws too many requests beyond the limit. */
async function countFailure(env: Env, name: FailureName, who: string | undefined): Promise<void> {
  const binding = env.ATTEMPT_RATE_LIMITER;
  if (who === undefined || !binding) return;
  const key = `${name} ${who}`;
  const tally = tallyFor(key);
  tally.failures += 1;
  const { success } = await binding.limit({ key });
  if (!success) tally.failures = Math.max(tally.failures, FAILURES.limit);
  if (tally.failures >= FAILURES.limit) tally.endsAt = Date.now() + FAILURES.period * 1_000;
  if (!success) throw tooManyRequests(MESSAGE, FAILURES.period);
}

/** Errors that say that something was wrong, not that something failed. */
const WRONG: ErrorKind[] = ['invalid', 'unauthorized', 'forbidden', 'not_found'];
/** What is short enough to be guessed: of these no more are under way at a time than may be wrong. */
const GUESSABLE: FailureName[] = ['guess', 'code'];

/**
 * Does what somebody could try until it works, and counts what goes wrong: a result that is not right, or an error that
 * says so. Throws too many requests beyond the limit, however many attempts are made at once.
 */
export async function attempt<T>(
  env: Env,
  name: FailureName,
  who: string | undefined,
  work: () => Promise<T>,
  isRight: (result: T) => boolean = () => true,
): Promise<T> {
  if (who === undefined || !env.ATTEMPT_RATE_LIMITER) return work();
  if (hasFailedTooOften(name, who)) throw tooManyRequests(MESSAGE, FAILURES.period);
  const finish = begin(name, who);
  let result: T;
  try {
    result = await work();
  } catch (error) {
    finish();
    if (error instanceof DomainError && WRONG.includes(error.kind)) await countFailure(env, name, who);
    throw error;
  }
  finish();
  if (!isRight(result)) await countFailure(env, name, who);
  return result;
}

/** Notes an attempt that is under way, and returns what to call at its end. */
function begin(name: FailureName, who: string): () => void {
  if (!GUESSABLE.includes(name)) return () => {};
  const key = `${name} ${who}`;
  const tally = tallyFor(key);
  tally.pending += 1;
  return () => {
    tally.pending -= 1;
    // Only those who fail take up room.
    if (tally.failures + tally.pending === 0) tallies.delete(key);
  };
}

const GOOD_SECRETS_MAX = 10_000;
/** Digests of secrets that this isolate has found good. */
const goodSecrets = new Lru<true>(GOOD_SECRETS_MAX);

/** How to open something by a secret that nobody can guess. */
export interface Opening<T> {
  /** Digest of the secret as it was sent; undefined for what is no secret. */
  digest: () => Promise<string | undefined>;
  open: () => Promise<T | undefined>;
  digestOf: (opened: T) => string;
}

/**
 * Opens something by its secret, and counts unknown secrets. Somebody who has failed too often gets no look at the
 * database; whoever stands behind the same address with a secret that was good here goes on.
 */
export async function openBySecret<T>(
  env: Env,
  name: FailureName,
  who: string | undefined,
  { digest, open, digestOf }: Opening<T>,
): Promise<T | undefined> {
  const isBarred = hasFailedTooOften(name, who);
  const sent = isBarred ? await digest() : undefined;
  if (isBarred && !(sent && goodSecrets.get(sent))) throw tooManyRequests(MESSAGE, FAILURES.period);
  const opened = await open();
  if (opened) {
    goodSecrets.set(digestOf(opened), true);
    return opened;
  }
  if (sent) goodSecrets.delete(sent);
  await countFailure(env, name, who);
  return undefined;
}
