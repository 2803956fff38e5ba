import { afterEach, describe, expect, test, vi } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { DomainError } from '../../src/domain/errors.ts';
import { attempt, callerNetwork, enforceRateLimit, openBySecret, RATES } from '../../src/domain/rate-limits.ts';
import type { Env } from '../../src/platform/env.ts';

afterEach(() => vi.useRealTimers());

const { limit: LIMIT } = RATES.ATTEMPT_RATE_LIMITER;

/** Returns a binding that ever admits this many calls per key. */
function limiter(limit: number): RateLimit {
  const counts = new Map<string, number>();
  return {
    async limit({ key }: { key: string }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: counts.get(key)! <= limit };
    },
  } as RateLimit;
}

const envWith = (bindings: Partial<Env>) => bindings as Env;
let callers = 0;
const somebody = () => `somebody ${callers++}`;

const request = (address?: string) =>
  new Request('https://passes.example', { headers: address === undefined ? {} : { 'CF-Connecting-IP': address } });

/** Returns the outcome from the caller's point of view: `right`, `wrong` or `refused`. */
async function outcome(tried: Promise<boolean>): Promise<string> {
  try {
    return (await tried) ? 'right' : 'wrong';
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'too_many_requests') return 'refused';
    throw error;
  }
}

test('the numbers match wrangler.toml', () => {
  const ratelimits: { name: string; namespace_id: string; simple: object }[] = unstable_readConfig({
    config: 'wrangler.toml',
  }).ratelimits;
  for (const [name, rate] of Object.entries(RATES)) {
    expect(ratelimits.find((binding) => binding.name === name)?.simple, name).toEqual(rate);
  }
  const ids = ratelimits.map(({ namespace_id }) => namespace_id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('a caller', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002:aaaa:bbbb:cccc:dddd', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::2', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
  ])('at %s belongs to %s, whatever LIMITS_BY_ADDRESS says', (address, network) => {
    for (const setting of [undefined, '', 'on', 'off']) {
      expect(callerNetwork(request(address), { LIMITS_BY_ADDRESS: setting })).toBe(network);
    }
  });

  test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
    'at %s counts unless the limits are off',
    (address) => {
      expect(callerNetwork(request(address), {})).toBeDefined();
      expect(callerNetwork(request(address), { LIMITS_BY_ADDRESS: 'off' })).toBeUndefined();
    },
  );

  test.each([
    '10.0.0.1',
    '192.168.1.20',
    '172.17.0.1',
    '169.254.1.1',
    '0.0.0.0',
    '127.0.0.1.example',
    '1127.0.0.1',
    'fe80::1',
    '::',
    'localhost',
  ])('that only looks local, at %s, counts even if the limits are off', (address) => {
    expect(callerNetwork(request(address), { LIMITS_BY_ADDRESS: 'off' })).toBeDefined();
  });

  test('without an address has no network', () => {
    expect(callerNetwork(request(), {})).toBeUndefined();
    expect(callerNetwork(request(''), {})).toBeUndefined();
  });
});

describe('a rate limit', () => {
  test('rejects requests beyond it, with the time to wait, per limit and caller', async () => {
    const env = envWith({ TRAFFIC_RATE_LIMITER: limiter(2) });
    for (let i = 0; i < 2; i++) await enforceRateLimit(env, 'page', '203.0.113.7');
    const refused = enforceRateLimit(env, 'page', '203.0.113.7');
    await expect(refused).rejects.toMatchObject({ kind: 'too_many_requests', retryAfterSeconds: 10 });
    await enforceRateLimit(env, 'page', '203.0.113.8');
    await enforceRateLimit(env, 'image', '203.0.113.7');
  });

  test('rejects nothing without a binding or a caller', async () => {
    await enforceRateLimit(envWith({}), 'page', '203.0.113.7');
    await enforceRateLimit(envWith({ TRAFFIC_RATE_LIMITER: limiter(0) }), 'page', undefined);
  });
});

describe('attempts', () => {
  const guess = (env: Env, who: string | undefined, isRight: boolean, work = async () => isRight) =>
    outcome(attempt(env, 'guess', who, work, (right) => right));

  test('that are wrong block further ones after the limit for a minute, even right ones', async () => {
    vi.useFakeTimers();
    const [env, who] = [envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) }), somebody()];
    for (let i = 0; i < LIMIT; i++) expect(await guess(env, who, false)).toBe('wrong');
    expect(await guess(env, who, false)).toBe('refused');
    expect(await guess(env, who, true)).toBe('refused');
    expect(await guess(env, somebody(), true)).toBe('right');
    vi.advanceTimersByTime(59_000);
    expect(await guess(env, who, true)).toBe('refused');
    vi.advanceTimersByTime(1_001);
    expect(await guess(env, who, true)).toBe('right');
  });

  test('that are wrong count for a minute from the first, and beyond the limit from the last', async () => {
    vi.useFakeTimers();
    const [env, who] = [envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) }), somebody()];
    for (let i = 1; i < LIMIT; i++) await guess(env, who, false);
    vi.advanceTimersByTime(59_000);
    expect(await guess(env, who, false)).toBe('wrong');
    vi.advanceTimersByTime(59_000);
    expect(await guess(env, who, true)).toBe('refused');
    vi.advanceTimersByTime(1_001);
    for (let i = 1; i < LIMIT; i++) await guess(env, who, false);
    vi.advanceTimersByTime(60_001);
    for (let i = 1; i < LIMIT; i++) expect(await guess(env, who, false)).toBe('wrong');
  });

  test('that are right never count', async () => {
    const [env, who] = [envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) }), somebody()];
    for (let i = 0; i < LIMIT * 3; i++) expect(await guess(env, who, true)).toBe('right');
  });

  test('that are simultaneous are answered no more often than the limit', async () => {
    const [env, who] = [envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) }), somebody()];
    const slow = (isRight: boolean) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return isRight;
    };
    const all = Array.from({ length: 500 }, (_, i) => guess(env, who, i === 400, slow(i === 400)));
    const seen = await Promise.all(all);
    expect(seen.filter((one) => one === 'wrong')).toHaveLength(LIMIT);
    expect(seen.filter((one) => one === 'right')).toEqual([]);
  });

  test('are rejected here once the binding has counted enough elsewhere', async () => {
    const [env, who] = [envWith({ ATTEMPT_RATE_LIMITER: limiter(2) }), somebody()];
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push(await guess(env, who, false));
    expect([...seen, await guess(env, who, true)]).toEqual(['wrong', 'wrong', 'refused', 'refused', 'refused']);
  });

  test('count if they end in an error for a wrong attempt, and not if something fails', async () => {
    const env = envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) });
    const failing = (who: string, error: Error) => attempt(env, 'google', who, () => Promise.reject(error));
    const [wrong, unlucky] = [somebody(), somebody()];
    for (let i = 0; i < LIMIT; i++) {
      await expect(failing(wrong, new DomainError('unauthorized', 'no'))).rejects.toThrow('no');
      await expect(failing(unlucky, new Error('down'))).rejects.toThrow('down');
    }
    await expect(failing(wrong, new DomainError('unauthorized', 'no'))).rejects.toThrow('Too many requests');
    await expect(failing(unlucky, new Error('down'))).rejects.toThrow('down');
  });

  test('are not counted without a binding or a caller', async () => {
    const strict = envWith({ ATTEMPT_RATE_LIMITER: limiter(0) });
    for (let i = 0; i < LIMIT * 2; i++) {
      expect(await guess(strict, undefined, false)).toBe('wrong');
      expect(await guess(envWith({}), 'nobody', false)).toBe('wrong');
    }
  });
});

describe('secrets', () => {
  /** Returns an opener whose secrets are their own digests; only `good` ones work. */
  const opener = (who: string, good: Set<string>) => {
    const env = envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) });
    const seen = { looks: 0 };
    const open = (secret: string) =>
      outcome(
        openBySecret(env, 'key', who, {
          digest: async () => secret,
          open: async () => {
            seen.looks += 1;
            return good.has(secret) ? { secret } : undefined;
          },
          digestOf: (opened) => opened.secret,
        }).then((opened) => opened !== undefined),
      );
    return { seen, open };
  };

  test('that are unknown are not looked up after the limit; a known good one still works', async () => {
    const who = somebody();
    const good = new Set([`${who} known`, `${who} new`]);
    const { seen, open } = opener(who, good);
    expect(await open(`${who} known`)).toBe('right');
    for (let i = 0; i < LIMIT; i++) expect(await open(`bad ${i}`)).toBe('wrong');
    const { looks } = seen;
    expect(await open('bad')).toBe('refused');
    expect(await open(`${who} new`)).toBe('refused');
    expect(seen.looks).toBe(looks);
    expect(await open(`${who} known`)).toBe('right');
    good.clear();
    expect(await open(`${who} known`)).toBe('wrong');
    expect(await open(`${who} known`)).toBe('refused');
  });

  test.each(['forbidden', 'suspended'] as const)(
    'that are %s for a caller count, and are not looked up after the limit',
    async (kind) => {
      const env = envWith({ ATTEMPT_RATE_LIMITER: limiter(1_000) });
      const [home, away, secret] = [somebody(), somebody(), `${kind} secret`];
      const state = { looks: 0, isRefused: true };
      const open = (who: string) =>
        openBySecret(env, 'key', who, {
          digest: async () => secret,
          open: async () => {
            state.looks += 1;
            if (state.isRefused && who === away) throw new DomainError(kind, 'refused');
            return { secret };
          },
          digestOf: (opened) => opened.secret,
        });
      for (let i = 0; i < LIMIT; i++) {
        expect(await open(home)).toEqual({ secret });
        await expect(open(away)).rejects.toMatchObject({ kind });
      }
      expect(await open(home)).toEqual({ secret });
      const { looks } = state;
      for (let i = 0; i < 3; i++) await expect(open(away)).rejects.toMatchObject({ kind: 'too_many_requests' });
      expect(state.looks).toBe(looks);
      vi.useFakeTimers({ now: Date.now() + 60_001 });
      state.isRefused = false;
      expect(await open(away)).toEqual({ secret });
    },
  );

  test('that could not be looked up do not count', async () => {
    const env = envWith({ ATTEMPT_RATE_LIMITER: limiter(0) });
    const who = somebody();
    const open = () =>
      openBySecret(env, 'key', who, {
        digest: async () => 'unlucky',
        open: () => Promise.reject(new Error('down')),
        digestOf: () => 'unlucky',
      });
    for (let i = 0; i <= LIMIT; i++) await expect(open()).rejects.toThrow('down');
  });
});
