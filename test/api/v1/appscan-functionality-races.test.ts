import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';

/*
 * 50 simultaneous scans of one pass. Each test has its own account, because together they exceed a key's limit per
 * minute.
 */

/** Simultaneous changes of one row run one at a time. */
const RIVALS_TIMEOUT_MILLIS = 120_000;
const RIVALS = 50;

let client: Client;
beforeEach(async () => {
  client = await freshAccount();
});

async function race(type: string, storedValue: number | null, scanner: object, sent: object = {}) {
  const templateId = await client.createTemplate({ passFunctionality: { type } } as never);
  const configuration = await createConfiguration(client, scanner);
  const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue });
  const replies = await Promise.all(
    Array.from({ length: RIVALS }, () => scan(client, configuration, barcodeValue, sent)),
  );
  const { body: pass } = await client.get(`/api/pass/${identifier}`);
  const outcomes = replies.map(({ status, body }) =>
    status === 201 ? `${body.scanStatus} ${body.validityReason}` : String(status),
  );
  return {
    pass,
    counts: tally(outcomes),
    told: tally((await eventsOf(identifier)).map((one) => one.type)),
    configuration,
  };
}

function tally(values: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

const totalOf = async ({ configurationId }: Configuration) =>
  (await client.get(`/api/appscan/list/${configurationId}`)).body.total;

describe('50 simultaneous scans', { timeout: RIVALS_TIMEOUT_MILLIS }, () => {
  test.each([0, 1])('oncePerDay in mode %i: exactly one is accepted', async (scanMode) => {
    const { pass, counts, configuration } = await race('oncePerDay', null, { scanMode });
    expect(counts).toEqual({ '2 null': 1, '1 limit_reached': 49 });
    expect(pass.voided).toBe(false);
    expect(await totalOf(configuration)).toBe(50);
  });

  test('stampCollect: 50 stamps', async () => {
    const { pass, counts, told } = await race('stampCollect', null, { scanMode: 1 });
    expect(counts).toEqual({ '2 null': 50 });
    expect(pass.storedValue).toBe(50);
    expect(told).toEqual({ app_scan_created: 50, pass_updated: 50 });
  });

  test('stampSpend from 10: exactly 10 are accepted', async () => {
    const { pass, counts, told } = await race('stampSpend', 10, { scanMode: 1 });
    expect(counts).toEqual({ '2 null': 10, '1 limit_reached': 40 });
    expect(pass.storedValue).toBe(0);
    expect(told).toEqual({ app_scan_created: 50, pass_updated: 10 });
  });

  test('prepaid: from 100, 3 are deducted exactly 33 times, and the others are rejected', async () => {
    const { pass, counts, told, configuration } = await race('prepaid', 100, { scanMode: 1 }, { storedValue: 3 });
    expect(counts).toEqual({ '2 null': 33, '400': 17 });
    expect(pass.storedValue).toBe(1);
    expect(told).toEqual({ app_scan_created: 33, pass_updated: 33 });
    expect(await totalOf(configuration)).toBe(33);
  });

  test('loyalty: all amounts are added', async () => {
    const { pass, counts } = await race('loyalty', 0.5, { scanMode: 1 }, { storedValue: 0.1 });
    expect(counts).toEqual({ '2 null': 50 });
    expect(pass.storedValue).toBe(5.5);
  });

  test('stampCollect in mode 0: one is accepted, voids the pass and adds a stamp', async () => {
    const { pass, counts } = await race('stampCollect', 3, { scanMode: 0 });
    expect(counts).toEqual({ '0 null': 1, '1 voided': 49 });
    expect(pass).toMatchObject({ storedValue: 4, voided: true });
  });
});
