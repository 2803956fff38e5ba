import { beforeAll, describe, expect, test } from 'vitest';
import { formatDateTime } from '../../../src/platform/dates.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, eventsOf, scan } from '../../support/app-scans.ts';
import { d1 } from '../../support/control.ts';

/* A pass's dates apply to every scan, in both modes. */

const TIMEZONE = 'America/New_York';

let client: Client;
let templateId: string;
let voiding: Configuration;
let noting: Configuration;

beforeAll(async () => {
  client = await freshAccount({ timezone: TIMEZONE });
  templateId = await client.createTemplate({
    expiration: { expirationDateDifferentForEachPass: true },
    validValidationPlaces: ['Hall'],
  });
  [voiding, noting] = await Promise.all([createConfiguration(client), createConfiguration(client, { scanMode: 1 })]);
});

const read = async (id: string) => (await client.get(`/api/pass/${id}`)).body;

/** Returns a scan's status and reason. */
async function verdict(scanner: Configuration, code: string, more: object = {}) {
  const { scanStatus, validityReason } = (await scan(client, scanner, code, more)).body;
  return [scanStatus, validityReason];
}

const EARLY = { validAsOfDate: '2099-01-01' };
const LATE = { expirationDate: '2020-01-01 00:00' };

describe('a pass that is not valid yet or has expired', () => {
  test.each([
    ['not_yet_valid', 0, EARLY],
    ['not_yet_valid', 1, EARLY],
    ['expired', 0, LATE],
    ['expired', 1, LATE],
  ])('is %s in mode %i: status 1, and does not change', async (reason, scanMode, dates) => {
    const scanner = await createConfiguration(client, { scanMode, place: 'Hall', incrementStoredValue: true });
    const { identifier, barcodeValue } = await client.createPass(templateId, { ...dates, storedValue: 5 });
    const { modifiedOn } = await read(identifier);
    const sent = { storedValue: 2, setVoided: true };
    expect(await verdict(scanner, barcodeValue, sent)).toEqual([1, reason]);
    expect(await read(identifier)).toMatchObject({
      voided: false,
      redeemed: false,
      storedValue: 5,
      placesUsedAt: [],
      lastUsage: null,
      modifiedOn,
    });
    const events = await eventsOf(identifier);
    expect(events).toMatchObject([{ type: 'app_scan_created', body: { scanStatus: 1, validityReason: reason } }]);
    const page = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body.results;
    const old = (await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`)).body;
    for (const list of [page, old]) expect(list).toMatchObject([{ scanStatus: 1, validityReason: reason }]);
  });

  test('is checked at the time of the scan, which may be an earlier createdOn', async () => {
    const fields = { validAsOfDate: '2026-03-02', expirationDate: '2026-03-05 18:00' };
    const { barcodeValue } = await client.createPass(templateId, fields);
    const at = (createdOn: string) => verdict(noting, barcodeValue, { createdOn });
    expect(await at('2026-03-01 23:59:59')).toEqual([1, 'not_yet_valid']);
    expect(await at('2026-03-02 00:00:00')).toEqual([2, null]);
    expect(await at('2026-03-05 18:00:00')).toEqual([2, null]);
    expect(await at('2026-03-05 18:00:01')).toEqual([1, 'expired']);
    // A time in the future doesn't help.
    expect(await at('2099-01-01 00:00:00')).toEqual([1, 'expired']);
  });

  test('begins with the day in the account’s time zone, or with the minute if one is given', async () => {
    const now = Date.now();
    const [day] = formatDateTime(now, TIMEZONE).split(' ');
    const [tomorrow] = formatDateTime(now + 24 * 60 * 60_000, TIMEZONE).split(' ');
    const today = await client.createPass(templateId, { validAsOfDate: day });
    const next = await client.createPass(templateId, { validAsOfDate: tomorrow });
    const timed = await client.createPass(templateId, { validAsOfDate: '2026-03-02 12:30' });
    expect(await verdict(noting, today.barcodeValue)).toEqual([2, null]);
    expect(await verdict(noting, next.barcodeValue)).toEqual([1, 'not_yet_valid']);
    expect(await verdict(noting, timed.barcodeValue, { createdOn: '2026-03-02 12:29:59' })).toEqual([
      1,
      'not_yet_valid',
    ]);
    expect(await verdict(noting, timed.barcodeValue, { createdOn: '2026-03-02 12:30:00' })).toEqual([2, null]);
  });
});

describe('the effective expiration', () => {
  const PAST = '2020-01-01 00:00';
  const FUTURE = '2099-01-01 00:00';
  test.each([
    ['the template’s', { expirationDate: PAST }, {}, 'expired'],
    ['the template’s for passes without their own', { expirationDate: FUTURE }, {}, null],
    [
      'none where the template’s is no fallback',
      { expirationDate: PAST, expirationDateDifferentForEachPass: true },
      {},
      null,
    ],
    [
      'the fallback',
      { expirationDate: PAST, expirationDateDifferentForEachPass: true, fallbackToTemplateExpirationDateIfEmpty: true },
      {},
      'expired',
    ],
    [
      'its own before the template’s',
      { expirationDate: PAST, expirationDateDifferentForEachPass: true },
      { expirationDate: FUTURE },
      null,
    ],
    [
      'its own, which the template limits',
      { expirationDate: PAST, expirationDateDifferentForEachPass: true, limitExpirationDateOfPassWithTemplate: true },
      { expirationDate: FUTURE },
      'expired',
    ],
    [
      'its own within the limit',
      { expirationDate: FUTURE, expirationDateDifferentForEachPass: true, limitExpirationDateOfPassWithTemplate: true },
      { expirationDate: PAST },
      'expired',
    ],
    ['days from its creation', { validityInDays: 1 }, {}, null],
    [
      'days from its creation, which the template limits',
      { validityInDays: 1, expirationDate: PAST, limitExpirationDateOfPassWithTemplate: true },
      {},
      'expired',
    ],
  ])('is %s', async (_, expiration, fields, reason) => {
    const template = await client.createTemplate({ expiration });
    const { barcodeValue } = await client.createPass(template, fields);
    expect(await verdict(voiding, barcodeValue)).toEqual([reason ? 1 : 0, reason]);
  });

  test('counts the days of the template from the creation of the pass', async () => {
    const template = await client.createTemplate({ expiration: { validityInDays: 2 } });
    const { identifier, barcodeValue } = await client.createPass(template);
    await d1('update passes set created_at = created_at - ? where id = ?', [2 * 24 * 60 * 60_000 + 5_000, identifier]);
    expect(await verdict(noting, barcodeValue)).toEqual([1, 'expired']);
  });

  test('of a template changes for its passes when it is published', async () => {
    const template = await client.createTemplate({ expiration: { expirationDate: FUTURE } });
    const { barcodeValue } = await client.createPass(template);
    await client.patch(`/api/v2/pass-template/${template}`, { expiration: { expirationDate: PAST } });
    expect(await verdict(noting, barcodeValue)).toEqual([2, null]);
    await client.post(`/api/v2/pass-template/${template}/publish`, {});
    expect(await verdict(noting, barcodeValue)).toEqual([1, 'expired']);
  });
});

test('of several reasons, the first in the order is returned', async () => {
  const bound = { eligibleValidationPlaces: ['Hall'] };
  const hall = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
  const cellar = await createConfiguration(client, { scanMode: 1, place: 'Cellar' });
  const other = await createConfiguration(client, { passTemplateId: await client.createTemplate() });
  const { identifier, barcodeValue } = await client.createPass(templateId, { ...EARLY, ...LATE, ...bound });
  const patch = (data: object) => client.patch(`/api/v3/pass/${identifier}`, { data });
  await client.put(`/api/pass/${identifier}`, { voided: true });
  expect(await verdict(other, barcodeValue)).toEqual([3, 'not_found']);
  expect(await verdict(cellar, barcodeValue)).toEqual([1, 'voided']);
  await client.put(`/api/pass/${identifier}`, { voided: false });
  expect(await verdict(cellar, barcodeValue)).toEqual([1, 'not_yet_valid']);
  await patch({ validAsOfDate: null });
  expect(await verdict(cellar, barcodeValue)).toEqual([1, 'expired']);
  await patch({ expirationDate: null });
  expect(await verdict(cellar, barcodeValue)).toEqual([1, 'wrong_place']);
  expect(await verdict(hall, barcodeValue)).toEqual([2, null]);
  expect(await verdict(hall, barcodeValue)).toEqual([1, 'already_used']);
});

test('a scan with its own scanStatus is recorded as sent whatever the dates: reason null, and setVoided voids', async () => {
  const { identifier, barcodeValue } = await client.createPass(templateId, LATE);
  expect(await verdict(voiding, barcodeValue, { scanStatus: 0 })).toEqual([0, null]);
  expect((await read(identifier)).voided).toBe(false);
  expect(await verdict(voiding, barcodeValue, { scanStatus: 1, setVoided: true })).toEqual([1, null]);
  expect((await read(identifier)).voided).toBe(true);
});

test('rows from earlier versions have the current reasons', async () => {
  const scanner = await createConfiguration(client, { scanMode: 1 });
  const { barcodeValue } = await client.createPass(templateId);
  const stored = ['accepted', 'voided', 'used', 'elsewhere', 'told'];
  for (let i = 0; i < stored.length; i++)
    await scan(client, scanner, barcodeValue, { createdOn: `2026-02-03 10:0${i}:00` });
  await scan(client, scanner, 'nobody', { createdOn: '2026-02-03 10:06:00' });
  await scan(client, scanner, 'nobody', { createdOn: '2026-02-03 10:07:00', scanStatus: 5 });
  const rows = await d1<{ id: string }>('select id from app_scans where configuration_id = ? order by created_at', [
    scanner.configurationId,
  ]);
  for (const [i, reason] of [...stored, 'unknown', 'unknown'].entries())
    await d1('update app_scans set reason = ? where id = ?', [reason, rows[i]!.id]);
  const { body } = await client.get(`/api/appscan?appConfigurationId=${scanner.configurationId}`);
  expect(body.map(({ validityReason }: { validityReason: string }) => validityReason)).toEqual([
    null,
    'voided',
    'already_used',
    'wrong_place',
    null,
    'not_found',
    null,
  ]);
});
