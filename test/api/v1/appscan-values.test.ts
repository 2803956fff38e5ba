import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';

let client: Client;
let templateId: string;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
});

const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body;

async function scanned(scanner: Configuration, storedValue: unknown, before?: number | null) {
  const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue: before });
  const { status, body } = await scan(client, scanner, barcodeValue, { storedValue });
  const { storedValue: after, voided } = await read(identifier);
  return { status, scanStatus: body.scanStatus, message: body.ErrorMessage, after, voided, identifier };
}

test('the values of a scan have at most 20,000 characters together', async () => {
  const questions = ['A', 'B', 'C'].map((name) => ({ name, type: 'unicode' }));
  const scanner = await createConfiguration(client, { scanMode: 1, additionalProperties: questions });
  const { barcodeValue } = await client.createPass(templateId);
  const answered = async (chars: number) => {
    const additionalProperties = Object.fromEntries(
      scanner.additionalProperties.map(({ id }) => [id, 'x'.repeat(chars)]),
    );
    const { status, body } = await scan(client, scanner, barcodeValue, { additionalProperties });
    return [status, body.ErrorMessage];
  };
  expect(await answered(7_000)).toEqual([400, 'additionalProperties: must have at most 20000 characters together']);
  expect((await answered(6_500))[0]).toBe(201);
});

test('a pass keeps 100,000 characters of places, and the times of those', async () => {
  const { identifier, barcodeValue } = await client.createPass(templateId);
  const full = Object.fromEntries(Array.from({ length: 210 }, (_, i) => [`${i} "${'x'.repeat(480)}`, 1]));
  await d1('update passes set places_used_at = ? where id = ?', [JSON.stringify(full), identifier]);
  const known = Object.keys(full)[0]!;
  for (const place of [known, 'Bar']) {
    const scanner = await createConfiguration(client, { scanMode: 1, place });
    expect((await scan(client, scanner, barcodeValue)).body.scanStatus).toBe(2);
  }
  const [row] = await d1<{ places: string }>('select places_used_at as places from passes where id = ?', [identifier]);
  const places: Record<string, number> = JSON.parse(row!.places);
  expect([Object.keys(places).length, places[known]! > 1, places.Bar]).toEqual([210, true, undefined]);
});

describe('storedValue', () => {
  test.each([
    [{}, 5, 12, 12],
    [{}, 5, -3, -3],
    [{}, null, '7.5', 7.5],
    [{ incrementStoredValue: true }, 5, 12, 17],
    [{ incrementStoredValue: true }, 5, -12, -7],
    [{ incrementStoredValue: true }, null, 4, 4],
    [{ incrementStoredValue: true }, 0.1, 0.2, 0.3],
    [{ incrementStoredValue: true, preventNegativeStoredValueBalance: true }, 5, -5, 0],
    [{ incrementStoredValue: true, preventNegativeNumericValues: true }, -5, 2, -3],
  ])('with %j, a value of %j and a scan of %j become %j', async (fields, before, sent, after) => {
    const scanner = await createConfiguration(client, { scanMode: 1, ...fields });
    expect(await scanned(scanner, sent, before)).toMatchObject({ status: 201, scanStatus: 2, after });
  });

  test.each([
    [
      { incrementStoredValue: true, preventNegativeStoredValueBalance: true },
      5,
      -5.01,
      'the balance must not become negative; it is currently 5',
    ],
    [{ preventNegativeStoredValueBalance: true }, 5, -1, 'the balance must not become negative'],
    [{ preventNegativeNumericValues: true }, 5, -1, 'must not be negative'],
    [{ incrementStoredValue: true }, 1e308, 1e308, 'is too large'],
  ])('with %j, a value of %j rejects a scan of %j: %s', async (fields, before, sent, message) => {
    const scanner = await createConfiguration(client, fields);
    const refused = await scanned(scanner, sent, before);
    expect(refused).toMatchObject({ status: 400, after: before, voided: false });
    expect(refused.message).toContain(`storedValue: ${message}`);
    expect(await eventsOf(refused.identifier)).toEqual([]);
    expect((await client.get(`/api/appscan/list/${scanner.configurationId}`)).body.total).toBe(0);
  });

  test('a change creates an event and a new version; a void with it creates an event, too', async () => {
    const mode1 = await createConfiguration(client, { scanMode: 1 });
    const mode0 = await createConfiguration(client);
    const updated = await scanned(mode1, 3, 1);
    expect((await eventsOf(updated.identifier)).map(({ type }) => type)).toEqual(['app_scan_created', 'pass_updated']);
    const voided = await scanned(mode0, 3, 1);
    expect(voided).toMatchObject({ scanStatus: 0, after: 3, voided: true });
    expect((await eventsOf(voided.identifier)).map(({ type }) => type)).toEqual([
      'app_scan_created',
      'pass_voided',
      'pass_updated',
    ]);
  });

  test('the value that the pass already has changes nothing', async () => {
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const same = await scanned(scanner, 3, 3);
    expect(same).toMatchObject({ status: 201, scanStatus: 2, after: 3 });
    expect((await eventsOf(same.identifier)).map(({ type }) => type)).toEqual(['app_scan_created']);
  });

  test('a rejected pass keeps its value', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue: 1 });
    await client.put(`/api/pass/${identifier}`, { voided: true });
    expect((await scan(client, scanner, barcodeValue, { storedValue: 9 })).body.scanStatus).toBe(1);
    expect((await read(identifier)).storedValue).toBe(1);
  });

  test('also changes if the caller sets the status', async () => {
    const scanner = await createConfiguration(client);
    const { identifier, barcodeValue } = await client.createPass(templateId, { storedValue: 1 });
    expect((await scan(client, scanner, barcodeValue, { storedValue: 9, scanStatus: 5 })).body.scanStatus).toBe(5);
    expect(await read(identifier)).toMatchObject({ storedValue: 9, voided: false, lastUsage: null });
  });

  test('moves the pass to the template of the tier that it reaches', async () => {
    const owner = await freshAccount();
    const projectId = (await owner.post('/api/v3/project', { name: 'Club' })).body.data.identifier;
    const gold = await owner.createTemplate({ name: 'Gold', projectId });
    const basic = await owner.createTemplate({
      projectId,
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 100, templateId: gold }] },
    });
    const scanner = await createConfiguration(owner, { scanMode: 1, incrementStoredValue: true });
    const { identifier, barcodeValue } = await owner.createPass(basic, { storedValue: 90 });
    const templateAfter = async (storedValue: number) => {
      await scan(owner, scanner, barcodeValue, { storedValue });
      return (await owner.get(`/api/pass/${identifier}`)).body.passTemplateGuid;
    };
    expect(await templateAfter(9)).toBe(basic);
    expect(await templateAfter(1)).toBe(gold);
  });

  test('is rejected without a change if another pass in the tier’s template has the same unique value', async () => {
    const gold = await client.createTemplate({ additionalProperties: [{ name: 'Seat', unique: true }] });
    const basic = await client.createTemplate({
      additionalProperties: [{ name: 'Seat' }],
      passFunctionality: { type: 'loyalty', tiers: [{ minimumValue: 100, templateId: gold }] },
    });
    await client.createPass(gold, { Seat: '1' });
    const scanner = await createConfiguration(client, { scanMode: 1 });
    const { identifier, barcodeValue } = await client.createPass(basic, { Seat: '1', storedValue: 1 });
    const { status, body } = await scan(client, scanner, barcodeValue, { storedValue: 100 });
    expect([status, body.ErrorMessage]).toEqual([400, 'Seat: the value must be unique']);
    expect(await read(identifier)).toMatchObject({ storedValue: 1, lastUsage: null, passTemplateGuid: basic });
    expect(await eventsOf(identifier)).toEqual([]);
  });
});
