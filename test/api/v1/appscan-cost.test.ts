import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { type Configuration, createConfiguration, scan } from '../../support/app-scans.ts';
import { costOf, d1 } from '../../support/control.ts';
import { COPIED_PASS, copyRow } from '../../support/copy-row.ts';

/* The D1 cost of a scan and of scan lists, with many passes and scans in the tables; durations are in bench/. */

const ROWS = 3_000;

let client: Client;
let templateId: string;
let voiding: Configuration;
let noting: Configuration;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({ validValidationPlaces: ['Hall'] });
  voiding = await createConfiguration(client, { place: 'Hall' });
  noting = await createConfiguration(client, { scanMode: 1, place: 'Hall' });
  const { barcodeValue, identifier } = await client.createPass(templateId);
  for (const scanner of [voiding, noting]) await scan(client, scanner, barcodeValue);
  const own = { ...COPIED_PASS, user_provided_id: "'crowd'", barcode_value: "'crowd-code'", voided: '0' };
  await copyRow(d1, { table: 'passes', where: 'id = ?', params: [identifier], rows: ROWS, own });
  for (const { configurationId } of [voiding, noting]) {
    await copyRow(d1, {
      table: 'app_scans',
      where: 'configuration_id = ?',
      params: [configurationId],
      rows: ROWS,
      own: { id: COPIED_PASS.id, created_at: 'created_at - 1000 * numbers.value' },
    });
    await d1('update app_configurations set scan_count = ? where id = ?', [ROWS + 1, configurationId]);
  }
});

describe('a scan takes two round trips, and no rows in proportion to the tables', () => {
  // Two rows of a change create the pass's timeline.
  const ACCEPTED = { rowsRead: 42, rowsWritten: 14 };
  const REFUSED = { rowsRead: 28, rowsWritten: 7 };

  async function expectCheap(scanner: Configuration, code: string, status: number, most: typeof ACCEPTED, more = {}) {
    const reply = await scan(client, scanner, code, { deviceName: 'Left', ...more });
    expect(reply.body.scanStatus).toBe(status);
    const cost = await costOf(reply);
    expect(cost.roundTrips).toBe(2);
    expect(cost.rowsRead).toBeLessThanOrEqual(most.rowsRead);
    expect(cost.rowsWritten).toBeLessThanOrEqual(most.rowsWritten);
  }

  test('that voids, and one that is too late', async () => {
    const { barcodeValue } = await client.createPass(templateId, { eligibleValidationPlaces: ['Hall'] });
    await expectCheap(voiding, barcodeValue, 0, ACCEPTED);
    await expectCheap(voiding, barcodeValue, 1, REFUSED);
  });

  test('that sends a bookmark', async () => {
    const { headers } = await client.get('/api/appconfiguration');
    const { barcodeValue } = await client.createPass(templateId);
    const scanned = { appConfigurationId: noting.configurationId, scannedBarcodeValue: barcodeValue };
    const reply = await client.post('/api/appscan', scanned, { 'X-D1-Bookmark': headers.get('X-D1-Bookmark')! });
    expect(reply.body.scanStatus).toBe(2);
    expect((await costOf(reply)).roundTrips).toBe(2);
    expect(reply.headers.get('X-D1-Bookmark')! > headers.get('X-D1-Bookmark')!).toBe(true);
  });

  test('that records attendance', async () => {
    const { barcodeValue } = await client.createPass(templateId);
    await expectCheap(noting, barcodeValue, 2, ACCEPTED);
  });

  /** Checking the day reads at most two index rows, and changing the value writes as much as voiding. */
  test.each([
    ['oncePerDay', 2, {}, 2, { rowsRead: 24, rowsWritten: 9 }],
    ['stampCollect', 2, {}, 2, { rowsRead: 41, rowsWritten: 14 }],
    ['stampSpend', 2, {}, 2, { rowsRead: 41, rowsWritten: 14 }],
    ['prepaid', 2, { storedValue: 1 }, 2, { rowsRead: 41, rowsWritten: 14 }],
  ] as const)('of a pass of the type %s', async (type, storedValue, sent, status, most) => {
    const template = await client.createTemplate({ passFunctionality: { type } });
    const { barcodeValue } = await client.createPass(template, { storedValue });
    await expectCheap(noting, barcodeValue, status, most, sent);
    if (type === 'oncePerDay') await expectCheap(noting, barcodeValue, 1, REFUSED);
  });

  test('of a pass that is not valid at the time', async () => {
    const { barcodeValue } = await client.createPass(templateId, { validAsOfDate: '2099-01-01' });
    await expectCheap(voiding, barcodeValue, 1, REFUSED);
  });

  test('of a barcode that many passes have', () => expectCheap(noting, 'crowd-code', 2, ACCEPTED));
  test('of a barcode that no pass has', () => expectCheap(voiding, 'nobody', 3, REFUSED));
});

describe('a page of scans costs its own rows', () => {
  test.each([10, 100])('of %i, on the first page and after thousands', async (pageSize) => {
    const path = `/api/appscan/list/${noting.configurationId}` as const;
    const first = await client.get(`${path}?pageSize=${pageSize}`);
    expect(first.body.results).toHaveLength(pageSize);
    expect(first.body.total).toBeGreaterThan(ROWS);
    const [late] = await d1<{ id: string }>(
      'select id from app_scans where configuration_id = ? order by created_at desc, id desc limit 1 offset 5',
      [noting.configurationId],
    );
    const end = await client.get(`${path}?pageSize=${pageSize}&lastIdOfPriorPage=${late?.id}`);
    expect(end.body.results).toHaveLength(5);
    for (const reply of [first, end]) {
      const cost = await costOf(reply);
      expect(cost.roundTrips).toBeLessThanOrEqual(2);
      // Each scan with its pass and template.
      expect(cost.rowsRead).toBeLessThanOrEqual(3 * (pageSize + 1) + 10);
    }
  });

  test('of a foreign configuration, without reading its rows', async () => {
    const foreign = await freshAccount();
    const cost = await costOf(await foreign.get(`/api/appscan/list/${noting.configurationId}`));
    expect(cost.rowsRead).toBeLessThanOrEqual(8);
  });
});

test('the deprecated list streams all scans, with one page in memory', async () => {
  const { status, body } = await client.get(`/api/appscan?appConfigurationId=${voiding.configurationId}`);
  expect(status).toBe(200);
  const { total } = (await client.get(`/api/appscan/list/${voiding.configurationId}?pageSize=1`)).body;
  expect(body).toHaveLength(total);
  const times = body.map((one: { createdOn: string }) => one.createdOn);
  expect(times).toEqual(times.toSorted());
  expect(new Set(body.map((one: { appScanId: string }) => one.appScanId)).size).toBe(total);
});

test('a read at a scanner costs the same as a read, plus the configuration', async () => {
  const { identifier } = await client.createPass(templateId);
  const cost = await costOf(await client.get(`/api/pass/${identifier}?appConfigurationId=${noting.configurationId}`));
  expect(cost.roundTrips).toBe(1);
  expect(cost.rowsRead).toBeLessThanOrEqual(9);
});
