import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { costOf, d1 } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

let account: Client;
let reader: Visitor;
/** The list shows personal data. */
const IS_VIEW = { isView: true };

let base: string;
let scanner: { configurationId: string };
let side: { configurationId: string };
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  reader = await visitor(account, ['read', 'personal_data']);
  base = consolePath(account, 'scans');
  expect(await openLight(reader, base, IS_VIEW)).toContain('No scans yet');
  const templateId = await account.createTemplate({ name: 'Day ticket' });
  const { barcodeValue } = await account.createPass(templateId, { userProvidedId: 'order-<1>' });
  const asked = { additionalProperties: [{ name: 'Note', type: 'unicode' }] };
  const made = await createConfiguration(account, { name: 'Main', place: 'Foyer', ...asked });
  [scanner, side] = [made, await createConfiguration(account, { name: 'Side', scanMode: 1 })];
  const [note] = made.additionalProperties;
  const at = (time: string) => ({ createdOn: `2026-03-01 ${time}` });
  const answers = { additionalProperties: { [note!.id]: '=1+1' } };
  await scan(account, scanner, barcodeValue, { ...at('10:00:00'), deviceName: '@gate, 1', ...answers });
  await scan(account, scanner, barcodeValue, at('11:00:00'));
  await scan(account, scanner, '=HYPERLINK("x")', at('12:00:00'));
  await scan(account, side, barcodeValue, { ...at('13:00:00'), scanStatus: 9 });
});

const rowsIn = (html: string) =>
  (html.match(/<tr data-id.*?<\/tr>/gs) ?? []).map((row) => row.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));

describe('the list of scans', () => {
  test('shows those of all doors, newest first', async () => {
    const html = await openLight(reader, base, IS_VIEW);
    expect(rowsIn(html)).toEqual([
      expect.stringMatching(/13:00:00 Status 9 set by the API caller order-&lt;1&gt; Day ticket .* Side/),
      expect.stringMatching(/12:00:00 Not found – =HYPERLINK\(&quot;x&quot;\) Main/),
      expect.stringMatching(/11:00:00 Rejected already voided order-&lt;1&gt;/),
      expect.stringMatching(/10:00:00 Accepted, voided order-&lt;1&gt; .*@gate, 1/),
    ]);
    expect(html).toContain('4 scans');
  });

  test.each([
    [{ status: '1' }, ['11:00']],
    [{ status: 'other' }, ['13:00']],
    [{ since: '2026-03-01T11:00', until: '2026-03-01T12:00' }, ['11:00']],
    [{ status: '2' }, []],
  ])('can be narrowed by %o', async (filter, times) => {
    const rows = rowsIn(
      await openLight(reader, `${base}?${new URLSearchParams(filter as Record<string, string>)}`, IS_VIEW),
    );
    expect(rows.map((row) => /\d\d:\d\d/.exec(row)![0])).toEqual(times);
  });

  test('can be narrowed to one configuration', async () => {
    const rows = rowsIn(await openLight(reader, `${base}?configuration=${side.configurationId}`, IS_VIEW));
    expect(rows).toEqual([expect.stringContaining('13:00:00')]);
  });

  test('shows what is wrong with a filter and keeps it', async () => {
    for (const [name, value, label] of [
      ['since', '2026-02-30T10:00', 'From (Europe/Vienna)'],
      ['status', 'good', 'Outcome'],
      ['configuration', 'x', 'Configuration'],
      ['reason', 'told', 'Reason'],
    ]) {
      const reply = await reader.get(`${base}?${name}=${value}&until=2026-01-01T00:00`);
      expect([reply.status, reply.body.includes(`${label}: must be`)]).toEqual([400, true]);
      expect(reply.body).toContain('value="2026-01-01T00:00"');
      expect((await reader.get(`${base}/export.csv?${name}=${value}`)).status).toBe(400);
    }
  });

  test('shows why a scan was not accepted, also in the export and the timeline, and can be filtered by reason', async () => {
    const own = await freshAccount();
    const visiting = await visitor(own, ['read', 'personal_data']);
    const pages = consolePath(own, 'scans');
    const template = await own.createTemplate({ passFunctionality: { type: 'oncePerDay' } });
    const door = await createConfiguration(own, { scanMode: 1, place: 'Hall' });
    const early = await own.createPass(template, { validAsOfDate: '2099-01-01' });
    const daily = await own.createPass(template);
    for (const code of [early.barcodeValue, daily.barcodeValue, daily.barcodeValue]) await scan(own, door, code);
    await scan(own, door, daily.barcodeValue, { createdOn: '2026-03-01 10:00:00' });
    await d1(
      "update app_scans set reason = 'elsewhere', scan_status = 1 where configuration_id = ? and created_at < ?",
      [door.configurationId, Date.UTC(2026, 3, 1)],
    );
    const told = [/Rejected limit reached/, /Accepted/, /Rejected not valid yet/, /Rejected not valid here/];
    expect(rowsIn(await openLight(visiting, pages, IS_VIEW))).toEqual(told.map((text) => expect.stringMatching(text)));
    for (const [reason, text] of [
      ['limit_reached', told[0]],
      ['not_yet_valid', told[2]],
      ['wrong_place', told[3]],
    ] as const) {
      const rows = rowsIn(await openLight(visiting, `${pages}?reason=${reason}`, IS_VIEW));
      expect(rows).toEqual([expect.stringMatching(text!)]);
      const file = (await visiting.get(`${pages}/export.csv?reason=${reason}`)).body;
      expect(file.trim().split('\n')).toHaveLength(2);
    }
    expect((await visiting.get(`${pages}/export.csv`)).body).toContain('limit reached');
    const timeline = async (id: string) => (await visiting.get(`${consolePath(own, 'passes')}/${id}`)).body;
    expect(await timeline(early.identifier)).toContain('Scanned: not valid yet');
    const daysOf = await timeline(daily.identifier);
    for (const text of ['Scanned: limit reached', 'Scanned and accepted', 'Scanned: not valid at this place'])
      expect(daysOf).toContain(text);
  });

  test('names a pass by its generated identifier if it has no other', async () => {
    const own = await freshAccount();
    const someone = await visitor(own, ['read', 'personal_data']);
    const { barcodeValue, identifier } = await own.createPass(await own.createTemplate({ name: 'Day ticket' }));
    const { generatedId } = (await own.get(`/api/pass/${identifier}`)).body;
    await scan(own, await createConfiguration(own), barcodeValue);
    const html = await openLight(someone, consolePath(own, 'scans'), IS_VIEW);
    expect(rowsIn(html)).toEqual([expect.stringContaining(`${generatedId} Day ticket`)]);
    expect(html).toContain(`href="${consolePath(own, 'passes')}/${identifier}"`);
  });

  test('omits scans that were undone', async () => {
    const own = await freshAccount();
    const someone = await visitor(own, ['read', 'personal_data']);
    const door = await createConfiguration(own);
    await scan(own, door, 'undone');
    await scan(own, door, 'stands');
    await d1("update app_scans set undone_at = 1 where account_id = ? and scanned_barcode_value = 'undone'", [
      own.accountId,
    ]);
    expect(rowsIn(await openLight(someone, consolePath(own, 'scans'), IS_VIEW))).toEqual([
      expect.stringContaining('stands'),
    ]);
  });

  test('passes the number of scans to its script', async () => {
    const total = async (query = '') => (await reader.get(`${base}/total${query}`)).body;
    expect(await total()).toEqual({ total: 4 });
    expect(await total(`?configuration=${scanner.configurationId}`)).toEqual({ total: 3 });
    const html = await openLight(reader, `${base}?configuration=${scanner.configurationId}`, IS_VIEW);
    expect(html).toContain(`data-live="${base}/total?configuration=${scanner.configurationId}" data-total="3"`);
  });
});

describe('with many scans', () => {
  const SCANS = 2_500;
  let many: Client;
  let someone: Visitor;
  let path: string;
  beforeAll(async () => {
    many = await freshAccount();
    someone = await visitor(many, ['read', 'personal_data']);
    path = consolePath(many, 'scans');
    const { configurationId } = await createConfiguration(many);
    const columns = 'id, account_id, configuration_id, scan_status, reason, scanned_barcode_value';
    const head = many.accountId.slice(0, -6);
    await d1(
      `insert into app_scans (${columns}, additional_properties, has_voided, created_at)
       with recursive numbers(value) as (select 1 union all select value + 1 from numbers where value < ${SCANS})
       select '${head}' || (100000 + value), ?, ?, iif(value = 1, 3, 1), 'unknown', 'code ' || value || ';', '{}', false, value / 2 from numbers`,
      [many.accountId, configurationId],
    );
    await d1('update app_configurations set scan_count = ? where id = ?', [SCANS, configurationId]);
  });

  const nextIn = (html: string) => /href="([^"]*before=[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  const codesIn = (html: string) => [...html.matchAll(/code (\d+);/g)].map(([, number]) => Number(number));

  test('pages cost their own rows at any depth, and omit none', async () => {
    const first = await openLight(someone, path, IS_VIEW);
    expect(codesIn(first)).toEqual(Array.from({ length: 50 }, (_, i) => SCANS - i));
    const second = await someone.get(nextIn(first)!);
    expect(codesIn(second.body)).toEqual(Array.from({ length: 50 }, (_, i) => SCANS - 50 - i));
    expect((await costOf(second)).rowsRead).toBeLessThanOrEqual(51 * 5 + 20);
  });

  test('a rare status is searched in steps, each of which shows that there may be more', async () => {
    let address: string | undefined = `${path}?status=3`;
    const pages: number[][] = [];
    while (address !== undefined) {
      const reply = await someone.get(address);
      expect((await costOf(reply)).rowsRead).toBeLessThanOrEqual(4_100);
      pages.push(codesIn(reply.body));
      address = nextIn(reply.body);
      if (address) expect(reply.body).toContain('Older scans are on the next page');
    }
    expect(pages).toEqual([[], [], [1]]);
  });

  test('the export has them all, also of a rare status', async () => {
    const linesOf = async (query: string) => {
      const { body } = await someone.get(`${path}/export.csv${query}`);
      return String(body).trimEnd().split('\r\n').slice(1);
    };
    const lines = await linesOf('');
    expect(lines.map((line) => Number(/code (\d+);/.exec(line)![1]))).toEqual(
      Array.from({ length: SCANS }, (_, i) => SCANS - i),
    );
    expect(await linesOf('?status=3')).toEqual([expect.stringContaining('code 1;')]);
  });
});

test('the file for spreadsheets runs no formula', async () => {
  const reply = await reader.get(`${base}/export.csv?configuration=${scanner.configurationId}`);
  expect(reply.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(reply.headers.get('Content-Disposition')).toMatch(/^attachment; filename="scans-\d{4}-\d\d-\d\d\.csv"$/);
  const lines = String(reply.body).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^\uFEFF?Scanned on,Scanned on \(UTC\),Outcome,Status/);
  expect(lines[1]).toContain(`,"'=HYPERLINK(""x"")",`);
  expect(lines[3]).toMatch(/^2026-03-01 10:00:00,2026-03-01 09:00:00,"Accepted, voided",0,,Main,/);
  expect(lines[3]).toContain(`"'@gate, 1"`);
  expect(lines[3]).toContain('Note: =1+1');
});

test('scans of other accounts are not shown', async () => {
  const stranger = await freshAccount();
  const other = await visitor(stranger, ['owner']);
  const path = `${consolePath(stranger, 'scans')}`;
  const query = `?configuration=${scanner.configurationId}`;
  expect(rowsIn((await other.get(path + query)).body)).toEqual([]);
  expect((await other.get(`${path}/total${query}`)).body).toEqual({ total: 0 });
  expect(
    String((await other.get(`${path}/export.csv${query}`)).body)
      .trimEnd()
      .split('\r\n'),
  ).toHaveLength(1);
  expect((await other.get(`${base}/export.csv`)).status).toBe(404);
});
