import type { Env } from '../platform/env.ts';
import { isLoopback } from '../platform/local-request.ts';
import { Lru } from '../platform/lru.ts';
import { DomainError, type ErrorKind, tooManyRequests } from './errors.ts';

/**
 * The Rate Limiting bindings as in `wrangler.toml`: requests, and period in seconds. Several limits may share a
 * binding; each counts on its own. An absent binding limits nothing.
 */
export const RATES = {
  /** Many people may share one address (NAT), and each page takes a few requests. */
  TRAFFIC_RATE_LIMITER: { limit: 600, period: 10 },
  /** A venue that admits ten people per second, or a pass that ten people per second add. */
  CROWD_RATE_LIMITER: { limit: 600, period: 60 },
  /** Two devices per second behind one address add the same pass. A made-up device costs an event and pushes. */
  REGISTRATION_RATE_LIMITER: { limit: 120, period: 60 },
  /** Failed attempts. People who mistype, and correct programs, stay far below this limit. */
  ATTEMPT_RATE_LIMITER: { limit: 30, period: 60 },
  /** Messages to one recipient. */
  RECIPIENT_RATE_LIMITER: { limit: 10, period: 60 },
} as const;

/** The binding of each limit. `docs/security.md` lists all limits with their numbers. */
const LIMITS = {
  /** By address: pages, their images, and pass files. */
  page: 'TRAFFIC_RATE_LIMITER',
  image: 'TRAFFIC_RATE_LIMITER',
  health: 'TRAFFIC_RATE_LIMITER',
  console: 'TRAFFIC_RATE_LIMITER',
  /**
   * By address: Apple's web service except registrations. Files count separately, because a push to many devices
   * requests both.
   */
  wallet: 'TRAFFIC_RATE_LIMITER',
  'wallet-file': 'TRAFFIC_RATE_LIMITER',
  /**
   * By address and by link: the scanner. A scanner that comes back online sends all scans of its offline time at once.
   */
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
 * Failures: by address, and for unknown codes by link and address. Wrong PINs and unknown `userProvidedId`s count
 * together.
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
 * 16-bit groups of an IPv6 address that identify a network: providers assign a whole /64, so one caller has all its
 * addresses.
 */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/**
 * Returns the network whose requests count together: an IPv4 address, or the /64 of an IPv6 address. Returns undefined
 * if the address is unknown, or is a loopback address while LIMITS_BY_ADDRESS is `off`: nothing is counted then.
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

/** Counts one request. Throws too many requests above the limit. Counts nothing without `who`. No round trip. */
export async function enforceRateLimit(env: Env, name: RateLimitName, who: string | undefined): Promise<void> {
  if (who === undefined) return;
  const binding = LIMITS[name];
  const taken = await env[binding]?.limit({ key: `${name} ${who}` });
  if (taken && !taken.success) throw tooManyRequests(MESSAGE, RATES[binding].period);
}

/** Failures of one caller, as counted by this isolate. */
interface Tally {
  failures: number;
  /** Attempts in progress. They count as failures until they end; otherwise a burst would be answered in full. */
  pending: number;
  /** When the failures expire, in UTC milliseconds. */
  endsAt: number;
}

const TALLIES_MAX = 10_000;
/**
 * The binding can't be read without counting, so each isolate keeps its own counts and remembers which callers it
 * rejects.
 */
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

/** Counts a failure. Throws too many requests above the limit. */
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

/** Errors caused by a wrong value, not by a failure of the service. */
const WRONG: ErrorKind[] = ['invalid', 'unauthorized', 'forbidden', 'not_found'];
/** Values short enough to be guessed: at most as many attempts run at a time as may fail. */
const GUESSABLE: FailureName[] = ['guess', 'code'];

/**
 * Runs an attempt that a caller could repeat until it succeeds, and counts failures: a result that isn't right, or an
 * error in `WRONG`. Throws too many requests above the limit, however many attempts run at once.
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

/** Counts an attempt in progress. Returns the function that ends it. */
function begin(name: FailureName, who: string): () => void {
  if (!GUESSABLE.includes(name)) return () => {};
  const key = `${name} ${who}`;
  const tally = tallyFor(key);
  tally.pending += 1;
  return () => {
    tally.pending -= 1;
    // Only callers with failures take up memory.
    if (tally.failures + tally.pending === 0) tallies.delete(key);
  };
}

const GOOD_SECRETS_MAX = 10_000;
/** Digests of secrets that this isolate has verified. */
const goodSecrets = new Lru<true>(GOOD_SECRETS_MAX);
/** Secrets that were refused to a caller, such as a key that other addresses may use: by caller and digest. */
const refusedSecrets = new Lru<true>(GOOD_SECRETS_MAX);
/** Refusals of a secret that exists. They count like unknown secrets; otherwise they would be unlimited. */
const REFUSALS: ErrorKind[] = ['suspended', 'forbidden'];

/** How to open something by a secret that can't be guessed. */
export interface Opening<T> {
  /** Returns the digest of the secret as sent; undefined if it can't be a secret. */
  digest: () => Promise<string | undefined>;
  open: () => Promise<T | undefined>;
  digestOf: (opened: T) => string;
}

/**
 * Opens something by its secret and counts unknown and refused secrets. A caller with too many of them doesn't reach
 * the database, except with a secret that this isolate has verified and not refused to this caller: others behind the
 * same address can continue.
 */
export async function openBySecret<T>(
  env: Env,
  name: FailureName,
  who: string | undefined,
  { digest, open, digestOf }: Opening<T>,
): Promise<T | undefined> {
  const isBarred = hasFailedTooOften(name, who);
  const sent = isBarred ? await digest() : undefined;
  if (isBarred && !(sent && goodSecrets.get(sent) && !refusedSecrets.get(`${who} ${sent}`))) {
    throw tooManyRequests(MESSAGE, FAILURES.period);
  }
  let opened: T | undefined;
  try {
    opened = await open();
  } catch (error) {
    if (!(error instanceof DomainError && REFUSALS.includes(error.kind))) throw error;
    refusedSecrets.set(`${who} ${sent ?? (await digest())}`, true);
    await countFailure(env, name, who);
    throw error;
  }
  if (opened) {
    goodSecrets.set(digestOf(opened), true);
    refusedSecrets.delete(`${who} ${digestOf(opened)}`);
    return opened;
  }
  if (sent) goodSecrets.delete(sent);
  await countFailure(env, name, who);
  return undefined;
}
