import { describe, expect, test, vi } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import { dataPointOf, type Metric, recordMetric, requestsPerPoint } from '../../../src/domain/metrics/record-metric.ts';

const REQUEST: Metric = {
  kind: 'request',
  name: '/api/v3/pass/:id',
  outcome: 200,
  method: 'GET',
  accountId: 'account',
  durationMs: 12.5,
  roundTrips: 1,
  rowsRead: 7,
  rowsWritten: 2,
};

const contextWith = (env: object) => ({ env, requestId: 'request' }) as unknown as Context;

describe('a data point', () => {
  test('has the columns that the documentation shows', () => {
    expect(dataPointOf(REQUEST)).toEqual({
      indexes: ['account'],
      blobs: ['request', '/api/v3/pass/:id', '200', 'GET', 'account'],
      doubles: [12.5, 1, 7, 2, 1, 0, 0],
    });
    const job: Metric = { kind: 'job', name: 'push-passes', outcome: 'retry', value: 3, ageMs: 40, attempt: 2 };
    expect(dataPointOf(job)).toEqual({
      indexes: ['push-passes'],
      blobs: ['job', 'push-passes', 'retry', '', ''],
      doubles: [0, 0, 0, 0, 3, 40, 2],
    });
  });

  test('stays within the limits of Analytics Engine', () => {
    const { indexes, blobs, doubles } = dataPointOf({ kind: 'job', name: `${'é'.repeat(100)}${'x'.repeat(100)}` });
    expect(new TextEncoder().encode(indexes[0]).length).toBe(96);
    expect(blobs.length).toBeLessThanOrEqual(20);
    expect(doubles.length).toBeLessThanOrEqual(20);
  });

  test('goes to the dataset of a deployment', () => {
    const writeDataPoint = vi.fn();
    recordMetric(contextWith({ METRICS: { writeDataPoint } }), REQUEST);
    expect(writeDataPoint.mock.calls).toEqual([[dataPointOf(REQUEST)]]);
  });

  test('of one in twenty successful requests of phones is written in a deployment, and stands for all of them', () => {
    const perPoint = requestsPerPoint('/wallet/apple/v1/passes/:passTypeId/:id', 200);
    expect(perPoint).toBe(20);
    const writeDataPoint = vi.fn();
    const random = vi.spyOn(Math, 'random');
    for (let i = 0; i < 1_000; i++) {
      random.mockReturnValueOnce(i / 1_000);
      recordMetric(contextWith({ METRICS: { writeDataPoint } }), { ...REQUEST, oneIn: perPoint });
    }
    expect(writeDataPoint).toHaveBeenCalledTimes(50);
    expect(writeDataPoint.mock.calls.every(([{ doubles }]) => doubles[4] === 20)).toBe(true);
  });

  test('of each request of other callers and of each failed one is written', () => {
    expect(requestsPerPoint('/wallet/apple/v1/passes/:passTypeId/:id', 500)).toBe(1);
    expect(requestsPerPoint('/api/v3/pass/:id', 200)).toBe(1);
  });

  test('is dropped without the binding', () => {
    expect(() => recordMetric(contextWith({}), REQUEST)).not.toThrow();
    expect(() => recordMetric(contextWith({ ADMIN_TOKEN: 'local' }), REQUEST)).not.toThrow();
  });

  test('that cannot be written is logged, and the request continues', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const writeDataPoint = () => {
      throw new Error('too many data points');
    };
    expect(() => recordMetric(contextWith({ METRICS: { writeDataPoint } }), REQUEST)).not.toThrow();
    expect(log.mock.calls.join()).toContain('too many data points');
    log.mockRestore();
  });
});
