import { expect, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { noteDeliveries, notePushes, recordUnit } from '../../../src/domain/metrics/outcomes.ts';

/** Returns a context and the data points that it writes, without their costs. */
function job(accountId: string | null) {
  const writeDataPoint = vi.fn();
  const meter = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const ctx = { env: { METRICS: { writeDataPoint } }, requestId: 'job', meter } as unknown as Context;
  const record = () => {
    recordUnit(ctx, { kind: 'job', name: 'deliver-webhooks', outcome: 'done', accountId, value: 2 });
    return writeDataPoint.mock.calls.map(([{ blobs, doubles }]) => [
      ...[blobs[1], blobs[4], doubles[4]],
      doubles.slice(7),
    ]);
  };
  return { ctx, record };
}

const NOTHING = [0, 0, 0];

test('a job’s outcomes are columns of its data point', () => {
  const { ctx, record } = job('one');
  noteDeliveries({ ...ctx }, { delivered: { count: 2, durationMs: 30, ageMs: 400 } });
  noteDeliveries(ctx, {
    delivered: { count: 3, durationMs: 30, ageMs: 400 },
    failed: { count: 1, durationMs: 5, ageMs: 6 },
  });
  notePushes(ctx, 'one', 'sent', 2);
  notePushes({ ...ctx }, 'one', 'sent', 1);
  notePushes(ctx, 'one', 'refused', 4);
  expect(record()).toEqual([['deliver-webhooks', 'one', 2, [3, 30, 400, ...NOTHING, 1, 5, 6, ...[3, 0, 0, 4]]]]);
});

test('pushes for other accounts than the job’s are data points of these accounts, without messages', () => {
  const { ctx, record } = job(null);
  notePushes(ctx, 'one', 'sent', 1);
  notePushes(ctx, 'two', 'gone', 1);
  const none = [...NOTHING, ...NOTHING, ...NOTHING];
  expect(record()).toEqual([
    ['deliver-webhooks', '', 2, []],
    ['push-passes', 'one', 0, [...none, 1, 0, 0, 0]],
    ['push-passes', 'two', 0, [...none, 0, 1, 0, 0]],
  ]);
});

test('a job for more than a hundred accounts writes at most a hundred further data points, and loses no push', () => {
  const { ctx, record } = job(null);
  for (let i = 0; i < 150; i++) notePushes(ctx, `account ${i}`, 'sent', 1);
  const points = record() as [string, string, number, number[]][];
  expect(points).toHaveLength(101);
  expect(points.reduce((sum, [, , , figures]) => sum + (figures[9] ?? 0), 0)).toBe(150);
});

test('a job without outcomes has none of their columns', () => {
  expect(job('one').record()).toEqual([['deliver-webhooks', 'one', 2, []]]);
});
