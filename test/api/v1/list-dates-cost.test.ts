import { beforeAll, describe, expect, test } from 'vitest';
import { formatDateTime } from '../../../src/platform/dates.ts';
import { admin, type Client, clientOf, freshAccount } from '../../support/api.ts';
import { createConfiguration, scan } from '../../support/app-scans.ts';
import { costOf, d1 } from '../../support/control.ts';

/* Dates in a list use the account's zone. The service prepares them for the zone it last saw. */

const HOUR_MS = 3_600_000;
/** Two hours from now in UTC, and half a day ago in the other zone. */
const SINCE = encodeURIComponent(formatDateTime(Date.now() + 2 * HOUR_MS, 'UTC'));
const FAR_EAST = 'Pacific/Kiritimati';

const moveTo = (client: Client, timezone: string) =>
  d1('update accounts set timezone = ? where id = ?', [timezone, client.accountId]);

/** Returns the same account with an unused key. */
async function withNewKey({ accountId }: Client): Promise<Client> {
  const { apiKey } = await admin<{ apiKey: string }>('api-key create', { account: accountId, name: 'New' });
  return clientOf(accountId, apiKey);
}

/** Returns a list's result and its round trips. */
async function listed(client: Client, path: string) {
  const reply = await client.get(path as `/${string}`);
  expect(reply.status).toBe(200);
  const found = Array.isArray(reply.body) ? reply.body : reply.body.results;
  return [found.length, (await costOf(reply)).roundTrips];
}

/** Creates a client in UTC with a first pass and scan just now. */
async function clientWithLists() {
  const client = await freshAccount();
  const template = await client.createTemplate();
  await client.createPass(template);
  const scanner = await createConfiguration(client, { scanMode: 1 });
  await scan(client, scanner, 'anything');
  return { client, template, scanner: scanner.configurationId as string };
}

describe.each<[string, (lists: { template: string; scanner: string }) => string]>([
  ['passes created since', ({ template }) => `/api/pass/list/${template}?createdSince=${SINCE}`],
  ['passes changed since', ({ template }) => `/api/pass/list/${template}?modifiedSince=${SINCE}`],
  ['passes from a time on', ({ template }) => `/api/pass/list/${template}?lastCreatedOnOfPriorPage=${SINCE}`],
  ['scans since', ({ scanner }) => `/api/appscan/list/${scanner}?createdSince=${SINCE}`],
  ['scans from a time on', ({ scanner }) => `/api/appscan/list/${scanner}?lastCreatedOnOfPriorPage=${SINCE}`],
  ['all scans since', ({ scanner }) => `/api/appscan?appConfigurationId=${scanner}&createdSince=${SINCE}`],
])('the list of %s', (_, pathOf) => {
  let lists: Awaited<ReturnType<typeof clientWithLists>>;
  beforeAll(async () => {
    lists = await clientWithLists();
  });

  test('is read again in the request after its account has moved to another time zone', async () => {
    const { client } = lists;
    const path = pathOf(lists);
    expect(await listed(client, path)).toEqual([0, 1]);
    await moveTo(client, FAR_EAST);
    expect(await listed(client, path)).toEqual([1, 2]);
    expect(await listed(client, path)).toEqual([1, 1]);
    await moveTo(client, 'UTC');
    expect(await listed(client, path)).toEqual([0, 2]);
    expect(await listed(client, path)).toEqual([0, 1]);
  });

  test('takes two round trips for a new key, and one from then on', async () => {
    const { client } = lists;
    const unseen = await withNewKey(client);
    expect(await listed(unseen, pathOf(lists))).toEqual([0, 2]);
    expect(await listed(unseen, pathOf(lists))).toEqual([0, 1]);
  });

  test('of a stranger in another zone is unknown, and does not affect the owner’s', async () => {
    const stranger = await freshAccount({ timezone: FAR_EAST });
    for (const _ of [1, 2]) {
      expect((await stranger.get(pathOf(lists) as `/${string}`)).status).toBe(404);
      expect(await listed(lists.client, pathOf(lists))).toEqual([0, 1]);
    }
  });

  test('rejects a date that does not exist, whether the zone is cached or not', async () => {
    const path = pathOf(lists).replace(SINCE, '2026-02-30%2010:00');
    for (const client of [lists.client, await withNewKey(lists.client)]) {
      expect((await client.get(path as `/${string}`)).status).toBe(400);
    }
  });
});
