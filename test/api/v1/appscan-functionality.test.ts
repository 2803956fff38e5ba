import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';

/* The effect of an accepted scan on the pass, by the template's `passFunctionality`. */

type Functionality = 'loyalty' | 'stampCollect' | 'stampSpend' | 'oncePerDay' | 'prepaid';

let client: Client;
let noting: Configuration;
let voiding: Configuration;
const templates: Partial<Record<Functionality, string>> = {};

beforeAll(async () => {
  client = await freshAccount({ timezone: 'Pacific/Auckland' });
  for (const type of ['loyalty', 'stampCollect', 'stampSpend', 'oncePerDay', 'prepaid'] as const)
    templates[type] = await client.createTemplate({ passFunctionality: { type }, validValidationPlaces: ['Hall'] });
  [noting, voiding] = await Promise.all([createConfiguration(client, { scanMode: 1 }), createConfiguration(client)]);
});

const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body;
const createPass = (type: Functionality, fields: object = {}) => client.createPass(templates[type]!, { ...fields });
const countOf = async ({ configurationId }: Configuration) =>
  (await client.get(`/api/appscan/list/${configurationId}`)).body.total;

async function verdict(scanner: Configuration, code: string, more: object = {}) {
  const { scanStatus, validityReason } = (await scan(client, scanner, code, more)).body;
  return [scanStatus, validityReason];
}

describe('oncePerDay', () => {
  test.each([0, 1])('in mode %i: one accepted scan a day, status 2, and no void', async (scanMode) => {
    const scanner = await createConfiguration(client, { scanMode });
    const { identifier, barcodeValue } = await createPass('oncePerDay');
    const { modifiedOn } = await read(identifier);
    expect(await verdict(scanner, barcodeValue)).toEqual([2, null]);
    expect(await verdict(scanner, barcodeValue)).toEqual([1, 'limit_reached']);
    // Other configurations don't have their own day.
    expect(await verdict(voiding, barcodeValue)).toEqual([1, 'limit_reached']);
    expect(await read(identifier)).toMatchObject({ voided: false, redeemed: false, modifiedOn });
  });

  test('counts the calendar days of the account’s time zone, by the time of each scan', async () => {
    const { barcodeValue } = await createPass('oncePerDay');
    const at = (createdOn: string) => verdict(voiding, barcodeValue, { createdOn });
    expect(await at('2026-03-02 23:59:59')).toEqual([2, null]);
    expect(await at('2026-03-03 00:00:00')).toEqual([2, null]);
    expect(await at('2026-03-02 00:00:00')).toEqual([1, 'limit_reached']);
    expect(await at('2026-03-03 23:59:59')).toEqual([1, 'limit_reached']);
    expect(await at('2026-03-01 23:59:59')).toEqual([2, null]);
    // The clocks go back on this day, which has 25 hours.
    expect(await at('2026-04-05 00:00:00')).toEqual([2, null]);
    expect(await at('2026-04-05 23:59:59')).toEqual([1, 'limit_reached']);
    expect(await at('2026-04-06 00:00:00')).toEqual([2, null]);
  });

  test('a scan that was not accepted, or was recorded as sent, does not use up the day', async () => {
    const { identifier, barcodeValue } = await createPass('oncePerDay');
    await client.put(`/api/pass/${identifier}`, { voided: true });
    expect(await verdict(noting, barcodeValue)).toEqual([1, 'voided']);
    await client.put(`/api/pass/${identifier}`, { voided: false });
    expect(await verdict(noting, barcodeValue, { scanStatus: 2 })).toEqual([2, null]);
    expect(await verdict(noting, barcodeValue)).toEqual([2, null]);
  });

  test('setVoided does not void either, unless the caller sends the status', async () => {
    const { identifier, barcodeValue } = await createPass('oncePerDay');
    expect(await verdict(voiding, barcodeValue, { setVoided: true })).toEqual([2, null]);
    expect((await read(identifier)).voided).toBe(false);
    expect(await verdict(voiding, barcodeValue, { setVoided: true, scanStatus: 0 })).toEqual([0, null]);
    expect((await read(identifier)).voided).toBe(true);
  });
});

describe('stamps', () => {
  test.each([
    ['stampCollect', null, 1],
    ['stampCollect', 6, 7],
    ['stampSpend', 3, 2],
    ['stampSpend', 1, 0],
  ] as const)('%s changes %j to %j, whatever the configuration says, and reports it', async (type, before, after) => {
    for (const incrementStoredValue of [false, true]) {
      const scanner = await createConfiguration(client, { scanMode: 1, incrementStoredValue });
      const { identifier, barcodeValue } = await createPass(type, { storedValue: before });
      expect(await verdict(scanner, barcodeValue)).toEqual([2, null]);
      expect((await read(identifier)).storedValue).toBe(after);
      expect((await eventsOf(identifier)).map((one) => one.type)).toEqual(['app_scan_created', 'pass_updated']);
    }
  });

  test.each([null, 0, 0.5, -1])('stampSpend at %j: status 1, and nothing happens', async (storedValue) => {
    const { identifier, barcodeValue } = await createPass('stampSpend', { storedValue });
    expect(await verdict(voiding, barcodeValue)).toEqual([1, 'limit_reached']);
    expect(await read(identifier)).toMatchObject({ storedValue, voided: false, lastUsage: null });
  });

  test('mode 0 also voids', async () => {
    const { identifier, barcodeValue } = await createPass('stampCollect');
    expect(await verdict(voiding, barcodeValue)).toEqual([0, null]);
    expect(await read(identifier)).toMatchObject({ storedValue: 1, voided: true });
  });

  test.each(['stampCollect', 'stampSpend'] as const)('%s rejects a storedValue', async (type) => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await createPass(type, { storedValue: 5 });
    for (const storedValue of [1, 0, '2']) {
      const { status, body } = await scan(client, scanner, barcodeValue, { storedValue });
      expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining('storedValue: must be left out')]);
    }
    expect([(await read(identifier)).storedValue, await countOf(scanner)]).toEqual([5, 0]);
  });
});

describe('amounts', () => {
  test.each([
    ['loyalty', {}, 5, 12, 17],
    ['loyalty', {}, null, 4, 4],
    ['loyalty', {}, 0.1, 0.2, 0.3],
    ['loyalty', { incrementStoredValue: true }, 5, 12, 17],
    ['prepaid', {}, 50, 12.5, 37.5],
    ['prepaid', { incrementStoredValue: true }, 50, 50, 0],
    ['prepaid', {}, 0.3, 0.1, 0.2],
    ['prepaid', {}, 50, undefined, 50],
    ['loyalty', {}, 50, undefined, 50],
  ] as const)('%s with %j: %j and a scan of %j become %j', async (type, fields, before, sent, after) => {
    const scanner = await createConfiguration(client, { scanMode: 1, ...fields });
    const { identifier, barcodeValue } = await createPass(type, { storedValue: before });
    expect(await verdict(scanner, barcodeValue, { storedValue: sent })).toEqual([2, null]);
    expect((await read(identifier)).storedValue).toBe(after);
  });

  test.each([
    ['prepaid', 25, 50, 'storedValue: 50 is more than the balance of 25'],
    ['prepaid', null, 1, 'storedValue: 1 is more than the balance of 0'],
    ['prepaid', 25, -1, 'storedValue: must not be negative'],
    ['loyalty', 25, -1, 'storedValue: must not be negative'],
  ] as const)('%s at %j rejects %j: %s', async (type, before, storedValue, message) => {
    const scanner = await createConfiguration(client, { incrementStoredValue: true });
    const { identifier, barcodeValue } = await createPass(type, { storedValue: before });
    const { status, body } = await scan(client, scanner, barcodeValue, { storedValue });
    expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining(message)]);
    expect(await read(identifier)).toMatchObject({ storedValue: before, voided: false, lastUsage: null });
    expect([await eventsOf(identifier), await countOf(scanner)]).toEqual([[], 0]);
  });

  test('a prepaid pass that is not accepted gets the reason, not its balance', async () => {
    const { barcodeValue } = await createPass('prepaid', { storedValue: 1, validAsOfDate: '2099-01-01' });
    expect(await verdict(noting, barcodeValue, { storedValue: 50 })).toEqual([1, 'not_yet_valid']);
  });
});

test('a scan with its own scanStatus has none of the effects', async () => {
  const stamps = await createPass('stampCollect', { storedValue: 3 });
  const prepaid = await createPass('prepaid', { storedValue: 3 });
  expect(await verdict(noting, stamps.barcodeValue, { scanStatus: 2 })).toEqual([2, null]);
  expect(await verdict(noting, prepaid.barcodeValue, { scanStatus: 2, storedValue: 9 })).toEqual([2, null]);
  expect((await read(stamps.identifier)).storedValue).toBe(3);
  // As before: the configuration decides what happens to the value.
  expect((await read(prepaid.identifier)).storedValue).toBe(9);
});

describe('tiers', () => {
  async function ladder(type: Functionality, gold: object) {
    const goldId = await client.createTemplate({ name: 'Gold', ...gold });
    const tiers = [{ minimumValue: 10, templateId: goldId }];
    return { goldId, basicId: await client.createTemplate({ passFunctionality: { type, tiers } }) };
  }

  test.each([
    ['stampCollect', 9, undefined],
    ['loyalty', 5, 5],
  ] as const)('follow the new value of %s', async (type, before, storedValue) => {
    const { goldId, basicId } = await ladder(type, {});
    const { identifier, barcodeValue } = await client.createPass(basicId, { storedValue: before });
    expect(await verdict(noting, barcodeValue, { storedValue })).toEqual([2, null]);
    expect(await read(identifier)).toMatchObject({ storedValue: 10, passTemplateGuid: goldId });
  });

  test('a full target template rejects scans, updates and bulk updates that reach its tier', async () => {
    const { goldId, basicId } = await ladder('stampCollect', { maxPasses: 2 });
    await Promise.all([client.createPass(goldId), client.createPass(goldId)]);
    const { identifier, barcodeValue } = await client.createPass(basicId, { storedValue: 9 });
    const message =
      'storedValue: the tier from 10 moves the pass to template Gold, which already has its maximum of 2 passes';
    const scanner = await createConfiguration(client);
    const scanned = await scan(client, scanner, barcodeValue);
    expect([scanned.status, scanned.body.ErrorMessage]).toEqual([400, message]);
    const updated = await client.patch(`/api/v3/pass/${identifier}`, { data: { storedValue: 20 } });
    expect([updated.status, updated.body.errors]).toEqual([400, [`data.${message}`]]);
    const passes = [{ identifier, data: { storedValue: 20 } }];
    const dryRun = await client.patch('/api/v3/pass/bulk', { passes, dryRun: true });
    expect(JSON.stringify(dryRun.body.data.errors)).toContain(message);
    expect(await read(identifier)).toMatchObject({ storedValue: 9, voided: false, passTemplateGuid: basicId });
    expect(await countOf(scanner)).toBe(0);
  });
});
