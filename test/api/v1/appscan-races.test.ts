import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';

/*
 * Invariants under simultaneous requests in any order. Each test has its own account, because together they exceed a
 * key's limit per minute.
 */

/** Simultaneous changes of one row run one at a time. */
const RIVALS_TIMEOUT_MILLIS = 120_000;

let client: Client;
let templateId: string;
beforeEach(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({ validValidationPlaces: ['Hall', 'Bar'] });
});

const times = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));
const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body;
const totalOf = async ({ configurationId }: { configurationId: string }) =>
  (await client.get(`/api/appscan/list/${configurationId}`)).body.total;

function tally(values: unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

describe('100 simultaneous scans of one pass', () => {
  test('in mode 0: one is accepted, and voids, counts and creates events exactly once', async () => {
    const scanners = await times(4, (i) => createConfiguration(client, { place: i % 2 === 0 ? '' : 'Hall' }));
    const { identifier, barcodeValue } = await client.createPass(templateId);
    const { version } = (await d1<{ version: number }>('select version from passes where id = ?', [identifier]))[0]!;
    const replies = await times(100, (i) => scan(client, scanners[i % 4]!, barcodeValue));
    expect(tally(replies.map(({ body }) => body.scanStatus))).toEqual({ 0: 1, 1: 99 });
    const events = await eventsOf(identifier);
    expect(tally(events.map(({ type }) => type))).toEqual({ app_scan_created: 100, pass_voided: 1 });
    const told = events.filter(({ type }) => type === 'app_scan_created').map(({ body }) => body);
    expect(tally(told.map(({ scanStatus }) => scanStatus))).toEqual({ 0: 1, 1: 99 });
    expect(told.every(({ passVoided }) => passVoided === true)).toBe(true);
    const totals = await Promise.all(scanners.map(totalOf));
    expect(totals).toEqual([25, 25, 25, 25]);
    const [after] = await d1<{ version: number }>('select version from passes where id = ?', [identifier]);
    expect(after?.version).toBe(version + 1);
  });

  test('in mode 1 at a place of the pass: one is accepted there', async () => {
    const scanners = await Promise.all(
      ['Hall', 'Bar'].map((place) => createConfiguration(client, { scanMode: 1, place })),
    );
    const { identifier, barcodeValue } = await client.createPass(templateId, {
      eligibleValidationPlaces: ['Hall', 'Bar'],
    });
    const replies = await times(100, (i) => scan(client, scanners[i % 2]!, barcodeValue));
    expect(tally(replies.map(({ body }) => body.scanStatus))).toEqual({ 1: 98, 2: 2 });
    expect(Object.keys((await read(identifier)).placesUsedAt).sort()).toEqual(['Bar', 'Hall']);
  });

  test('in mode 1: all are counted, and the pass keeps its version', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(templateId);
    const replies = await times(100, () => scan(client, scanner, barcodeValue));
    expect(tally(replies.map(({ body }) => body.scanStatus))).toEqual({ 2: 100 });
    expect(await totalOf(scanner)).toBe(100);
    const [pass] = await d1<{ version: number }>('select version from passes where id = ?', [identifier]);
    expect(pass?.version).toBe(1);
  });
});

test('of 50 scans with setVoided, one voids and all are recorded', async () => {
  const scanner = await createConfiguration(client, { scanMode: 1 });
  const { identifier, barcodeValue } = await client.createPass(templateId);
  const replies = await times(50, () => scan(client, scanner, barcodeValue, { scanStatus: 0, setVoided: true }));
  expect(tally(replies.map(({ body }) => body.scanStatus))).toEqual({ 0: 50 });
  expect(tally((await eventsOf(identifier)).map(({ type }) => type))).toEqual({ app_scan_created: 50, pass_voided: 1 });
});

test('simultaneous voids by scans and the API void once', async () => {
  const scanner = await createConfiguration(client);
  const { identifier, barcodeValue } = await client.createPass(templateId);
  const [scans] = await Promise.all([
    times(25, () => scan(client, scanner, barcodeValue)),
    times(25, () => client.put(`/api/pass/${identifier}`, { voided: true })),
  ]);
  const accepted = scans.filter(({ body }) => body.scanStatus === 0).length;
  expect(accepted).toBeLessThanOrEqual(1);
  expect(scans.filter(({ body }) => body.scanStatus === 1)).toHaveLength(25 - accepted);
  expect((await eventsOf(identifier)).filter(({ type }) => type === 'pass_voided')).toHaveLength(1);
  expect((await read(identifier)).redeemed).toBe(accepted === 1);
});

test('a pass that changes constantly is still accepted once', async () => {
  const scanner = await createConfiguration(client);
  const { identifier, barcodeValue } = await client.createPass(templateId);
  const [scans, changes] = await Promise.all([
    times(25, () => scan(client, scanner, barcodeValue)),
    times(10, (i) => client.patch(`/api/v3/pass/${identifier}`, { data: { Level: `level ${i}` } })),
  ]);
  expect(tally(scans.map(({ body }) => body.scanStatus))).toEqual({ 0: 1, 1: 24 });
  expect(tally(changes.map(({ status }) => status))).toEqual({ 200: 10 });
  expect(tally((await eventsOf(identifier)).map(({ type }) => type))).toEqual({
    app_scan_created: 25,
    pass_updated: 10,
    pass_voided: 1,
  });
});

describe('50 simultaneous scans with storedValue', { timeout: RIVALS_TIMEOUT_MILLIS }, () => {
  test('add up exactly', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1, incrementStoredValue: true });
    const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue: 0.5 });
    const replies = await times(50, () => scan(client, scanner, barcodeValue, { storedValue: 0.1 }));
    expect(tally(replies.map(({ body }) => body.scanStatus))).toEqual({ 2: 50 });
    expect((await read(identifier)).storedValue).toBe(5.5);
  });

  test('never make a balance negative unless allowed, and rejected ones have no effect', async () => {
    const fields = { scanMode: 1, incrementStoredValue: true, preventNegativeStoredValueBalance: true };
    const scanner = await createConfiguration(client, fields);
    const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue: 20 });
    const replies = await times(50, () => scan(client, scanner, barcodeValue, { storedValue: -1 }));
    expect(tally(replies.map(({ status }) => status))).toEqual({ 201: 20, 400: 30 });
    expect((await read(identifier)).storedValue).toBe(0);
    expect(await totalOf(scanner)).toBe(20);
    expect(tally((await eventsOf(identifier)).map(({ type }) => type))).toEqual({
      app_scan_created: 20,
      pass_updated: 20,
    });
  });
});

test('with a configuration deleted meanwhile, each scan is recorded before or rejected', async () => {
  const scanner = await createConfiguration(client, { scanMode: 1 });
  const { identifier, barcodeValue } = await client.createPass(templateId);
  const [replies] = await Promise.all([
    times(50, () => scan(client, scanner, barcodeValue)),
    client.delete(`/api/appconfiguration/${scanner.configurationId}`),
  ]);
  const { 201: recorded = 0, 404: refused = 0 } = tally(replies.map(({ status }) => status));
  expect(recorded + refused).toBe(50);
  expect(await eventsOf(identifier)).toHaveLength(recorded);
});
