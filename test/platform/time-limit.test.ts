import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GRAIN_MS, SharedTimeLimit, TimeLimit } from '../../src/platform/time-limit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const TIMEOUT_MS = 10_000;

/** Enters a limit, and records its calls. */
function guest(limit: TimeLimit) {
  const seen: string[] = [];
  const leave = limit.enter(() => seen.push(limit.signal.aborted ? 'aborted' : 'over'));
  return { seen, leave };
}

describe('a limit', () => {
  test('notifies those inside that the time is over, and then aborts', () => {
    const limit = new TimeLimit(TIMEOUT_MS);
    const [one, two, gone] = [guest(limit), guest(limit), guest(limit)];
    limit.close();
    gone.leave();
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    expect([one.seen, two.seen, limit.signal.aborted]).toEqual([[], [], false]);
    vi.advanceTimersByTime(1);
    expect([one.seen, two.seen, gone.seen, limit.signal.aborted]).toEqual([['over'], ['over'], [], true]);
  });

  test('leaves no timer once it is closed and empty', () => {
    const limit = new TimeLimit(TIMEOUT_MS);
    const [one, two] = [guest(limit), guest(limit)];
    one.leave();
    limit.close();
    expect(vi.getTimerCount()).toBe(1);
    two.leave();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('limits of requests that start in sequence', () => {
  test('give each its time, and little more', () => {
    const limits = new SharedTimeLimit(TIMEOUT_MS);
    const begun = [0, 100, GRAIN_MS, 60, 40, 5_000].map((after) => {
      vi.advanceTimersByTime(after);
      const one = { at: Date.now(), overAt: 0 };
      limits.now().enter(() => {
        one.overAt = Date.now();
      });
      return one;
    });
    limits.close();
    vi.advanceTimersByTime(TIMEOUT_MS + GRAIN_MS);
    for (const { at, overAt } of begun) {
      expect(overAt - at).toBeGreaterThanOrEqual(TIMEOUT_MS);
      expect(overAt - at).toBeLessThanOrEqual(TIMEOUT_MS + GRAIN_MS);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  test('share a timer and a signal, even if many start at once', () => {
    const limits = new SharedTimeLimit(TIMEOUT_MS);
    const signals = new Set(Array.from({ length: 500 }, () => limits.now().signal));
    expect([signals.size, vi.getTimerCount()]).toEqual([1, 1]);
  });

  test('leave no timer once they are closed and empty', () => {
    const limits = new SharedTimeLimit(TIMEOUT_MS);
    const early = guest(limits.now());
    vi.advanceTimersByTime(GRAIN_MS + 1);
    const late = guest(limits.now());
    expect(vi.getTimerCount()).toBe(2);
    early.leave();
    expect(vi.getTimerCount()).toBe(1);
    limits.close();
    late.leave();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('restart if the clock goes back', () => {
    const limits = new SharedTimeLimit(TIMEOUT_MS);
    const first = limits.now();
    vi.setSystemTime(Date.now() - 60_000);
    expect(limits.now()).not.toBe(first);
  });
});
