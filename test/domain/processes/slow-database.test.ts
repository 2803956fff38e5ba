import { describe, expect, test } from 'vitest';
import { fieldIssue } from '../../../src/domain/errors.ts';
import type { ProcessFacts, ProcessItem } from '../../../src/domain/processes/process-state.ts';
import { ProcessStore } from '../../../src/domain/processes/process-store.ts';
import type { Range } from '../../../src/domain/processes/range-store.ts';
import { memoryStorage } from '../../support/memory-storage.ts';

/* The state of a process with simulated time, and consumers and a database of any speed. */

const ITEMS = 10_000;
const RANGE_ITEMS = 100;

interface Told {
  range: Range;
  claim: number;
  at: number;
}

/** Runs a process whose ranges are applied in sequence at this speed, from a queue that delivers in order. */
function simulate({ itemsPerSecond }: { itemsPerSecond: number }) {
  const store = new ProcessStore(memoryStorage());
  const items = Array.from({ length: ITEMS }, (_, seq): ProcessItem => ({ seq, key: String(seq) }));
  const facts = { id: 'p', createdAt: 0, rangeItems: RANGE_ITEMS, account: {}, operation: { kind: 'update' } };
  store.start(facts as unknown as ProcessFacts, items, 0, 0);
  const queue: Range[] = [];
  const applied = new Set<number>();
  let [now, messages, busyUntil, applications] = [0, 0, 0, 0];
  let working: Told | undefined;
  const proceed = () => {
    store.endInterrupted(store.interrupted(now), applied, now);
    const sent = store.takeRanges(now);
    messages += sent.length;
    queue.push(...sent);
  };
  proceed();
  while (!store.isFinished) {
    if (!working && queue.length > 0) {
      const range = queue.shift()!;
      const claimed = store.claim(range, now);
      if (!claimed) continue;
      const size = (JSON.parse(claimed.items) as ProcessItem[]).length;
      busyUntil = now + (size * 1_000) / itemsPerSecond;
      working = { range, claim: claimed.claim, at: busyUntil };
    }
    const dueAt = store.nextDueAt() ?? Number.POSITIVE_INFINITY;
    if (working && working.at <= dueAt) {
      now = working.at;
      for (let seq = working.range.first; seq <= working.range.last; seq++) {
        applications += applied.has(seq) ? 0 : 1;
        applied.add(seq);
      }
      store.report(working.range, working.claim, [], now);
      working = undefined;
    } else {
      now = Math.max(now, dueAt);
      store.upkeep.takeMirror(now);
    }
    proceed();
  }
  return { store, messages, seconds: now / 1_000, applications };
}

describe('a process', () => {
  test.each([2, 20, 60, 1_000, 10_000])('at %s items per second sends few messages, and fails none', (speed) => {
    const { store, messages, seconds, applications } = simulate({ itemsPerSecond: speed });
    expect(store.state()).toMatchObject({ current: ITEMS, total: ITEMS, failed: 0, errors: {} });
    expect(applications).toBe(ITEMS);
    expect(seconds).toBeLessThanOrEqual((ITEMS / speed) * 1.05);
    expect(messages).toBeLessThanOrEqual((ITEMS / RANGE_ITEMS) * (speed < 10 ? 12 : 1.5));
  });
});

/** Creates a process with this many items, whose only range a consumer has claimed. */
function claimed(items: number) {
  const store = new ProcessStore(memoryStorage());
  const list = Array.from({ length: items }, (_, seq): ProcessItem => ({ seq, key: String(seq) }));
  const facts = { id: 'p', createdAt: 0, rangeItems: RANGE_ITEMS, account: {}, operation: { kind: 'update' } };
  store.start(facts as unknown as ProcessFacts, list, 0, 0);
  const [range] = store.takeRanges(0);
  return { store, range: range!, claim: store.claim(range!, 0)!.claim };
}

const HOUR = 3_600_000;

describe('a late report', () => {
  test('counts if the range was assigned again meanwhile', () => {
    const { store, range, claim } = claimed(3);
    store.takeRanges(HOUR);
    expect(store.claim(range, HOUR)).toBeDefined();
    store.report(range, claim, [], HOUR + 1);
    expect(store.state()).toMatchObject({ current: 3, failed: 0, finishedAt: HOUR + 1 });
  });

  test('counts once if the range was split meanwhile, for what is left of it', () => {
    const { store, range, claim } = claimed(30);
    store.takeRanges(HOUR);
    store.claim(range, HOUR);
    const parts = store.takeRanges(2 * HOUR);
    expect(parts.length).toBeGreaterThan(1);
    const part = store.claim(parts[0]!, 2 * HOUR)!;
    store.report(parts[0]!, part.claim, [{ seq: 0, issues: [fieldIssue('', 'no')] }], 2 * HOUR);
    store.report(range, claim, [], 2 * HOUR + 1);
    store.report(range, claim, [], 2 * HOUR + 2);
    expect(store.state()).toMatchObject({ current: 30, failed: 1, finishedAt: 2 * HOUR + 1 });
  });

  test('adds no failures, because a later attempt may have applied the item', () => {
    const { store, range, claim } = claimed(3);
    store.takeRanges(HOUR);
    const again = store.claim(range, HOUR)!;
    store.report(range, claim, [{ seq: 1, issues: [fieldIssue('', 'no')] }], HOUR + 1);
    expect(store.state()).toMatchObject({ current: 0, finishedAt: null });
    store.report(range, again.claim, [], HOUR + 2);
    expect(store.state()).toMatchObject({ current: 3, failed: 0 });
  });
});

test('an item whose every attempt was interrupted has failed only if the ledger does not have it', () => {
  for (const isApplied of [true, false]) {
    const { store, range } = claimed(1);
    let now = HOUR;
    for (; store.interrupted(now).length === 0; now += HOUR) {
      for (const sent of store.takeRanges(now)) store.claim(sent, now);
    }
    store.endInterrupted(store.interrupted(now), new Set(isApplied ? [range.first] : []), now);
    expect(store.state()).toMatchObject({ current: 1, failed: isApplied ? 0 : 1 });
  }
});
