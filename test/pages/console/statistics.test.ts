import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { costOf, d1, eventually, runScheduled } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';
import { openLight } from './first-load.ts';

const HOUR_MS = 3_600_000;

let account: Client;
let reader: Visitor;
let base: string;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  reader = await visitor(account, ['read']);
  base = consolePath(account, 'statistics');
});

/** Sets an account's counts for a metric, by ISO time of the hour. */
async function count(of: Client, metric: string, hours: Record<string, number>): Promise<void> {
  for (const [hour, times] of Object.entries(hours)) {
    await d1('insert into hourly_counts (account_id, metric, hour_at, count) values (?, ?, ?, ?)', [
      of.accountId,
      metric,
      Date.parse(hour),
      times,
    ]);
  }
}

/** Returns the labels of a chart's bars, and checks that none is missing. */
const barsIn = (html: string, id: string) => {
  const chart = html.slice(html.indexOf(`aria-labelledby="${id}-title`)).split('</svg>')[0]!;
  return [...chart.matchAll(/aria-label="([^"]+)"/g)]
    .map(([, label]) => label!)
    .filter((label) => / [1-9]/.test(label.split(': ')[1]!));
};

describe('the statistics', () => {
  test('of an empty account suggest what to do', async () => {
    const html = await openLight(reader, base);
    expect(html).toContain('No passes yet');
    expect(html).toContain('No data in this period');
  });

  test('assign hours to days in the account’s time zone, even when clocks change', async () => {
    const own = await freshAccount({ timezone: 'Europe/Vienna' });
    const someone = await visitor(own, ['read']);
    await count(own, 'pushnotification_registered', {
      '2027-03-27T22:00Z': 1,
      '2027-03-27T23:00Z': 2,
      '2027-03-28T21:00Z': 4,
      '2027-03-28T22:00Z': 8,
      '2027-03-30T21:00Z': 16,
      '2027-03-30T22:00Z': 32,
    });
    await count(own, 'pushnotification_unregistered', { '2027-03-28T12:00Z': 3 });
    const path = consolePath(own, 'statistics');
    const html = await openLight(someone, `${path}?range=custom&from=2027-03-28&to=2027-03-30`);
    expect(barsIn(html, 'installs')).toEqual([
      'Sun 28 Mar: Added to a wallet 6, Removed 3',
      'Mon 29 Mar: Added to a wallet 8, Removed 0',
      'Tue 30 Mar: Added to a wallet 16, Removed 0',
    ]);
    expect(html).toMatch(/<th scope="row">Sun 28 Mar<\/th><td class="number" data-label="Added to a wallet">6<\/td>/);
    const hours = await openLight(someone, `${path}?range=custom&from=2027-03-28&to=2027-03-28`);
    expect(barsIn(hours, 'installs')).toEqual([
      'Sun 00:00: Added to a wallet 2, Removed 0',
      'Sun 14:00: Added to a wallet 0, Removed 3',
      'Sun 23:00: Added to a wallet 4, Removed 0',
    ]);
    expect(
      (await costOf(await someone.get(`${path}?range=custom&from=2027-01-01&to=2027-04-02`))).rowsRead,
    ).toBeLessThanOrEqual(40);
  });

  test.each(['day', 'week', 'month'])('show the last %s up to now', async (range) => {
    const own = await freshAccount({ timezone: 'Asia/Kolkata' });
    const someone = await visitor(own, ['read']);
    const hour = Date.now() - (Date.now() % HOUR_MS);
    await count(own, 'pass_created', { [new Date(hour).toISOString()]: 5 });
    const html = await openLight(someone, `${consolePath(own, 'statistics')}?range=${range}`);
    expect(barsIn(html, 'passes')).toEqual([expect.stringContaining('Created 5, Deleted 0')]);
    expect(html).toMatch(new RegExp(`range=${range}" aria-current="page"`));
  });

  test.each([
    ['from=2027-02-30&to=2027-03-01', 'From: must be a date such as 2026-12-24'],
    ['from=2027-03-02&to=2027-03-01', 'To: must not be before the first day'],
    ['from=2027-01-01&to=2027-04-03', 'To: is too late: select at most 92 days'],
    ['from=2027-01-01', 'To: must be a date such as 2026-12-24'],
  ])('reject %s and keep it', async (query, message) => {
    const reply = await reader.get(`${base}?range=custom&${query}`);
    expect(reply.status).toBe(400);
    expect(reply.body).toContain(message);
    expect(reply.body).toContain(`value="${/from=([^&]+)/.exec(query)![1]}"`);
  });

  test('count actual passes, scans by status, and deliveries', async () => {
    const own = await freshAccount();
    const someone = await visitor(own, ['read']);
    const templateId = await own.createTemplate();
    await own.post('/api/hook/subscribe', { event: 'pass_created', target_url: 'https://nobody.example/hook' });
    const { barcodeValue } = await own.createPass(templateId);
    const door = await createConfiguration(own);
    for (const status of [undefined, undefined, 77]) await scan(own, door, barcodeValue, { scanStatus: status });
    await scan(own, door, 'unknown');
    const attempted = () =>
      d1('select 1 from webhook_subscriptions where account_id = ? and last_attempt_at is not null', [own.accountId]);
    await eventually(async () => ((await attempted()).length > 0 ? true : undefined));
    await d1("update account_events set id = '0198' || substr(id, 5) where account_id = ?", [own.accountId]);
    await d1('delete from counted_events', [], own);
    await runScheduled();
    const html = await openLight(someone, `${consolePath(own, 'statistics')}?range=day`);
    expect(barsIn(html, 'passes')).toEqual([expect.stringContaining('Created 1, Deleted 0')]);
    expect(barsIn(html, 'scans')).toEqual([
      expect.stringContaining('Accepted, voided 1, Accepted 0, Rejected 1, Not found 1, Other statuses 1'),
    ]);
    expect(barsIn(html, 'deliveries')).toHaveLength(1);
    expect(html).toContain('0% of the passes are on a device');
  });

  test('only include the account’s own', async () => {
    const other = await freshAccount();
    await count(other, 'pass_created', { [new Date(Date.now() - (Date.now() % HOUR_MS)).toISOString()]: 5 });
    expect(barsIn(await openLight(reader, base), 'passes')).toEqual([]);
    expect((await reader.get(consolePath(other, 'statistics'))).status).toBe(404);
  });
});
