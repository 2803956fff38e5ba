import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { consolePath, visitor } from '../pages/console/browser-session.ts';
import { admin, type Client, clientOf, freshAccount, send } from '../support/api.ts';
import { createConfiguration, scan } from '../support/app-scans.ts';
import { d1, eventually, objectSql, runScheduled } from '../support/control.ts';
import { openOutsideServer } from '../support/outside-server.ts';
import { ended } from '../support/processes.ts';
import { remainsOf } from '../support/remains.ts';
import { createScanner } from '../support/scanner.ts';
import { subscribed } from '../support/webhooks.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

interface Progress {
  accountId: string;
  accounts: number;
  deleted: number;
  startedOn: string;
}

const remove = (id: string, name: string) => admin<Progress>('account delete', { id, confirm: name });

async function subCustomerOf(client: Client, name = 'Harbour Theatre'): Promise<Client> {
  const { status, body } = await client.post('/api/customer', { company_name: name, last_name: 'Hopper' });
  expect(status).toBe(201);
  return clientOf(body.customer_identifier, body.apiToken);
}

/** Runs the cron until nothing is left, as if the time had passed. */
async function untilGone(rootId: string): Promise<void> {
  await eventually(async () => {
    await d1('update account_deletions set started_at = 0, due_at = min(due_at, 0) where root_id = ?', [rootId]);
    await runScheduled();
    return (await d1('select 1 as one from account_deletions where root_id = ?', [rootId])).length === 0;
  });
}

const usedOf = async ({ accountId }: Client) =>
  Object.fromEntries(
    (
      await d1<{ quota: string; used: number }>('select quota, used from account_quotas where account_id = ?', [
        accountId,
      ])
    ).map(({ quota, used }) => [quota, used]),
  );

/** Puts rows into as many tables and files as an account can use. */
async function fill(client: Client, hook: string) {
  const project = await client.post('/api/v3/project', { name: 'Season' });
  expect(project.status).toBe(201);
  const templateId = await client.createTemplate({
    images: { icon: readFileSync('scripts/demo/images/lindhof-icon.png').toString('base64') },
    additionalProperties: [{ name: 'Seat', type: 'text', unique: true }],
    sendoutOptions: { passCreationNotification: { subject: 'Welcome', emailTemplate: 'Hello' } },
    customNumberRange: { from: 1, to: 100, prefix: 'N', padding: 3 },
  });
  for (const options of [{ retryEnabled: true }, { event: 'pass_updated' }]) await subscribed(client, hook, options);
  await client.post('/api/hook/subscribe', { event: 'pass_created', pullMode: true });
  const fields = { Seat: randomUUID(), emailRecipient: 'ada@example.com', userProvidedId: randomUUID() };
  const data = { templateId, ...fields, bundleId: 'family' };
  const created = await client.post('/api/v3/pass?async=false', { data }, { 'Idempotency-Key': randomUUID() });
  expect(created.status).toBe(200);
  const pass = await client.createPass(templateId);
  const device = new Device();
  expect((await device.register(pass)).status).toBe(201);
  expect((await send('GET', pass.linkToPassFile as '/')).status).toBe(200);
  const scanner = await createConfiguration(client);
  expect((await scan(client, scanner, pass.barcodeValue)).status).toBe(201);
  await client.post('/api/v3/segment', { title: 'All', query: { groups: [] } });
  await client.get('/api/v3/signing/public-keys' as '/');
  const notification = { publicationDate: '2040-01-01 10:00', notificationText: 'Soon' };
  await client.post(`/api/pass-template/notification/${templateId}` as '/', notification);
  const doomed = await client.createTemplate();
  await client.createPass(doomed);
  await client.delete(`/api/pass-template/${doomed}`);
  await client.delete(`/api/pass/${(await client.createPass(templateId)).identifier}`);
  const started = await client.patch('/api/v3/pass/bulk', {
    passes: [{ identifier: 'nobody', data: { storedValue: 1 } }],
  });
  await ended(client, started);
  return { templateId, pass, device, processId: started.body.data.processId as string };
}

describe('a deleted account', () => {
  let top: Client;
  let account: Client;
  let sub: Client;
  let filled: Awaited<ReturnType<typeof fill>>;

  beforeAll(async () => {
    top = await freshAccount();
    await admin('account update', { id: top.accountId, 'passes-max': '1000', 'active-passes-max': '1000' });
    account = await subCustomerOf(top);
    sub = await subCustomerOf(account, 'Harbour Bar');
    // `remainsOf` looks for the first characters of identifiers, which all have that were created within 16 ms.
    const created = Math.floor(Date.now() / 16);
    await eventually(async () => Math.floor(Date.now() / 16) > created);
    await top.createPass(await top.createTemplate());
  });

  test('must exist, and its name must be confirmed', async () => {
    await expect(remove(account.accountId, 'Harbor Theater')).rejects.toThrow('confirm: must be the name');
    await expect(remove(randomUUID(), 'Harbour Theatre')).rejects.toThrow('Not found: --id');
    expect((await account.get('/api/v3/project')).status).toBe(200);
  });

  test('cannot be used from the next request on, nor can its sub-customers, and no data is left', async () => {
    const outside = await openOutsideServer(() => ({ status: 500, body: 'no' }));
    filled = await fill(account, `${outside.origin}/hook`);
    const ofSub = await fill(sub, `${outside.origin}/hook`);
    const owner = await visitor(account, ['owner']);
    const shared = `shared-${randomUUID()}@example.com`;
    for (const { accountId } of [account, top]) await admin('user invite', { account: accountId, email: shared });
    const usersOf = async (email: string) => (await d1('select id from users where email = ?', [email])).length;
    const scanner = await createScanner(sub);
    await eventually(async () => (await usedOf(top)).passes === 5);
    expect(await usedOf(top)).toMatchObject({ activePasses: 2, subCustomers: 2 });

    const first = await remove(account.accountId, 'Harbour Theatre');
    expect(first).toMatchObject({ accountId: account.accountId, accounts: 2 });
    for (const { apiKey } of [account, sub]) {
      expect((await send('GET', '/api/v3/project', undefined, { Authorization: apiKey })).status).toBe(401);
    }
    expect((await owner.get(consolePath(account))).status).toBe(404);
    expect((await send('GET', scanner.path as '/')).status).toBe(404);
    for (const { pass, device } of [filled, ofSub]) {
      expect((await send('GET', pass.linkToPassPage as '/')).status).toBe(404);
      expect((await send('GET', pass.linkToPassFile as '/')).status).toBe(404);
      expect((await device.fetch(pass)).status).toBeGreaterThanOrEqual(401);
    }

    await runScheduled();
    // Repeating the request reports its progress.
    const again = await eventually(async () => {
      const progress = await remove(account.accountId, '');
      return progress.deleted > 40 && progress;
    });
    expect(again.startedOn).toBe(first.startedOn);
    await untilGone(account.accountId);
    await expect(remove(account.accountId, 'Harbour Theatre')).rejects.toThrow('Not found: --id');

    expect(await remainsOf([account.accountId, sub.accountId])).toEqual([]);
    for (const { pass, templateId } of [filled, ofSub]) {
      expect(await remainsOf([pass.identifier, templateId])).toEqual([]);
    }
    for (const { processId } of [filled, ofSub]) {
      for (const table of ['process', 'facts', 'ranges', 'failures']) {
        expect(await objectSql({ binding: 'PROCESSES', name: processId }, `select * from ${table}`)).toEqual([]);
      }
    }
    expect([await usersOf(owner.email), await usersOf(shared)]).toEqual([0, 1]);
    expect(await usedOf(top)).toMatchObject({ passes: 1, activePasses: 0, subCustomers: 0 });
    expect((await top.get('/api/v3/project')).status).toBe(200);
    await outside.close();
  });

  test('has no pass, key or sub-customer created at the same time', async () => {
    const racing = await subCustomerOf(top, 'Racing');
    const templateId = await racing.createTemplate();
    const before = await usedOf(top);
    const made = Array.from({ length: 50 }, (_, i) =>
      i % 10 === 0
        ? racing.post('/api/customer', { company_name: 'Late', last_name: 'Hopper' })
        : racing.post(`/api/pass?passtemplate=${templateId}&integrationStyle=true`, {}),
    );
    await Promise.all([...made, remove(racing.accountId, 'Racing')]);
    await untilGone(racing.accountId);
    expect(await remainsOf([racing.accountId])).toEqual([]);
    expect(await usedOf(top)).toEqual({ ...before, subCustomers: before.subCustomers! - 1 });
  });
});
