import { expect, test } from 'vitest';
import { freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';

/* Pagination, which the list of scans shares with that of passes. */

test('a page starts at the first scan of a second when only that is given', async () => {
  const client = await freshAccount({ timezone: 'Europe/Vienna' });
  const scanner = await createConfiguration(client, { scanMode: 1 });
  for (let i = 0; i < 5; i++) await scan(client, scanner, `code-${i}`, { createdOn: `2026-02-03 10:0${i % 3}:00` });
  const listed = async (query: string) => {
    const { status, body } = await client.get(`/api/appscan/list/${scanner.configurationId}?${query}`);
    expect([status, body.total]).toEqual([200, 5]);
    return body.results.map((one: { scannedBarcodeValue: string }) => one.scannedBarcodeValue);
  };
  const second = `lastCreatedOnOfPriorPage=${encodeURIComponent('2026-02-03 10:01:00')}`;
  expect(await listed(`${second}&start=4`)).toEqual(['code-1', 'code-4', 'code-2']);
  expect(await listed(`lastCreatedOnOfPriorPage=1970-01-01%2000:00`)).toHaveLength(5);
  const all = (await client.get(`/api/appscan/list/${scanner.configurationId}`)).body.results;
  expect(await listed(`${second}&lastIdOfPriorPage=${all[3].appScanId}`)).toEqual(['code-2']);
});

test.each(['pageSize=0', 'pageSize=101', 'lastCreatedOnOfPriorPage=soon', 'lastIdOfPriorPage=x'])(
  'rejects %s and names it',
  async (query) => {
    const client = await freshAccount();
    const { configurationId } = await createConfiguration(client);
    const { status, body } = await client.get(`/api/appscan/list/${configurationId}?${query}`);
    expect([status, body.ErrorMessage]).toEqual([400, expect.stringContaining(query.split('=')[0]!)]);
  },
);
