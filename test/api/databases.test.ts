import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shardOf } from '../../src/platform/ids.ts';
import { shardOfAlphanumeric, shardOfToken } from '../../src/platform/shard-tokens.ts';
import { consolePath, OWN_FORM, visitor } from '../pages/console/browser-session.ts';
import { admin, type Client, clientOf, freshAccount, type Reply, send } from '../support/api.ts';
import { createConfiguration, scan } from '../support/app-scans.ts';
import { allLogged, type Cost, costOf, d1, eventually, logged, runScheduledEverywhere } from '../support/control.ts';
import { DATABASES as ALL, FURTHER_DATABASES } from '../support/database-of.ts';
import { GoogleStandIn } from '../support/google-stand-in.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { createScanner } from '../support/scanner.ts';
import { subscribed, told } from '../support/webhooks.ts';
import { unzip } from '../wallets/apple/tools.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/*
 * Accounts in several databases behind one contract. In other files, all accounts are in one database.
 */

type Path = `/${string}`;
const pathOf = (link: string) => new URL(link).pathname as Path;
const tokenIn = (link: string) => link.split('/').at(-1)!.replace('.pkpass', '');

const rowsOf = (database: string, table: string, client: Client) =>
  d1(`select * from ${table} where account_id = ?`, [client.accountId], database);

describe.each(FURTHER_DATABASES)('an account in %s', (database) => {
  const shard = Number(database.slice(3));
  let client: Client;
  let templateId: string;
  let receiver: OutsideServer;
  beforeAll(async () => {
    receiver = await openOutsideServer();
    client = await freshAccount({ database });
    templateId = await client.createTemplate();
  });
  afterAll(() => receiver.close());

  test('has all of its rows there, and identifiers that name it', async () => {
    const pass = await client.createPass(templateId);
    const scanner = await createScanner(client);
    const tokens = [pass.linkToPassPage, pass.linkToPassFile, scanner.path].map((link) => shardOfToken(tokenIn(link)));
    expect(tokens).toEqual([shard, shard, shard]);
    expect([client.accountId, templateId, pass.identifier, scanner.configurationId].map(shardOf)).toEqual(
      Array.from({ length: 4 }, () => shard),
    );
    expect(shardOfAlphanumeric(client.apiKey.slice(3))).toBe(shard);
    for (const name of ALL) {
      for (const table of ['passes', 'templates', 'api_keys', 'account_events', 'app_configuration_links']) {
        expect([name, table, (await rowsOf(name, table, client)).length > 0]).toEqual([name, table, name === database]);
      }
    }
  });

  test('shows its pages and files, and its bundles', async () => {
    const [one, other] = [await client.createPass(templateId), await client.createPass(templateId)];
    expect((await send('GET', pathOf(one.linkToPassPage))).status).toBe(200);
    expect((await send('GET', `/p/${one.identifier}`)).status).toBe(200);
    const { body } = await send('GET', pathOf(one.linkToPassFile));
    const { webServiceURL } = JSON.parse(unzip(body).get('pass.json')!.toString());
    expect(pathOf(webServiceURL)).toBe(`/wallet/apple/${shard}`);
    const bundle = await client.post('/api/v2/pass-bundle', { passes: [one.identifier, other.identifier] });
    expect(bundle.status).toBe(200);
    expect((await send('GET', pathOf(bundle.body.data.urlToPass))).status).toBe(200);
  });

  test('delivers events by its own cron, and keeps failed ones', async () => {
    const { identifier } = await subscribed(client, `${receiver.origin}/events`);
    const pass = await client.createPass(templateId);
    const [request] = await receiver.received(1);
    expect(told(request!).identifier).toBe(pass.identifier);
    expect((await client.get(`/api/hook/${identifier}/deliveries`)).body.results).toHaveLength(1);
  });

  test('has its scans, imports of the scanner and counts', async () => {
    const pass = await client.createPass(templateId);
    const configuration = await createConfiguration(client, { scanMode: 1 });
    expect((await scan(client, configuration, pass.barcodeValue)).status).toBe(201);
    expect(await rowsOf(database, 'app_scans', client)).toHaveLength(1);
    const scanner = await createScanner(client);
    expect((await send('GET', scanner.path as Path)).status).toBe(200);
  });

  test('has sub-customers beside it, with copies of its templates', async () => {
    const { body } = await client.post('/api/customer', { company_name: 'Harbour Theatre', last_name: 'Hopper' });
    expect(shardOf(body.customer_identifier)).toBe(shard);
    const customer = clientOf(body.customer_identifier, body.apiToken);
    const copied = await client.post(`/api/pass-template/copy/${templateId}/${customer.accountId}`, { name: 'Copy' });
    expect([copied.status, copied.body]).toEqual([201, expect.anything()]);
    expect(shardOf(copied.body.identifier)).toBe(shard);
    expect((await customer.createPass(await customer.createTemplate())).identifier).toBeDefined();
  });

  test('hears from Google Wallet', async () => {
    const google = await GoogleStandIn.open();
    try {
      await google.admit(client);
      const pass = await client.createPass(await client.createTemplate());
      expect((await google.tell(pass.identifier, 'save')).status).toBe(200);
      const saved = await d1('select ended_at from registrations where pass_id = ?', [pass.identifier], database);
      expect(saved).toEqual([{ ended_at: null }]);
      expect((await google.tell(pass.identifier, 'del')).status).toBe(200);
      const { numberOfActive, numberOfInactive } = (await client.get(`/api/pass/${pass.identifier}`)).body;
      expect([numberOfActive, numberOfInactive]).toEqual([0, 1]);
    } finally {
      await google.close();
    }
  });

  test('is foreign to an account in each other database', async () => {
    for (const other of ALL.filter((name) => name !== database)) {
      const stranger = await freshAccount({ database: other });
      const foreign = await stranger.createTemplate();
      const pass = await stranger.createPass(foreign);
      const replies = [
        await client.get(`/api/v3/pass/${pass.identifier}`),
        await client.patch(`/api/v3/pass/${pass.identifier}`, { data: { storedValue: 1 } }),
        await client.delete(`/api/pass/${pass.identifier}`),
        await client.post('/api/v3/pass', { data: { templateId: foreign } }),
        await client.post('/api/v2/pass-bundle', { passes: [pass.identifier] }),
        await client.post(`/api/pass-template/copy/${foreign}`, { name: 'Copy' }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400, 404]);
    }
  });

  test('gets the tasks of the cron', async () => {
    const before = (await allLogged({ event: 'tick', database })).length;
    await runScheduledEverywhere();
    expect((await allLogged({ event: 'tick', database })).length).toBeGreaterThan(before);
    const failed = await allLogged({ event: 'task', database, status: 'failed' });
    expect(failed).toEqual([]);
  });
});

describe('hot paths', () => {
  /** Returns the round trips of each operation. */
  async function roundTrips(client: Client): Promise<Record<string, number>> {
    const templateId = await client.createTemplate();
    const configuration = await createConfiguration(client, { scanMode: 1 });
    const pass = await client.createPass(templateId, { userProvidedId: 'one' });
    const device = new Device();
    await device.register(pass);
    const costs: Record<string, number> = {};
    const ask = async (name: string, reply: Promise<Reply>) => {
      const answered = await reply;
      expect([name, answered.status]).toEqual([name, expect.toSatisfy((status: number) => status < 300)]);
      const { roundTrips: trips }: Cost = await costOf(answered);
      costs[name] = trips;
    };
    await ask('read', client.get(`/api/v3/pass/${pass.identifier}`));
    await ask('list', client.get('/api/v3/pass'));
    await ask('create', client.post('/api/v3/pass', { data: { templateId } }));
    await ask('update', client.patch('/api/v3/pass/one', { data: { storedValue: 1 } }));
    await ask('scan', scan(client, configuration, pass.barcodeValue));
    await ask('search', client.post('/api/v3/passinstance/search', { searchPhrase: 'one' }));
    await ask('page', send('GET', pathOf(pass.linkToPassPage)));
    await ask('file', send('GET', pathOf(pass.linkToPassFile)));
    await ask('device list', device.list(undefined, shardOf(pass.identifier)));
    await ask('device file', device.fetch(pass));
    return costs;
  }

  test('take the same round trips in each database', async () => {
    const first = await roundTrips(await freshAccount({ database: 'DB' }));
    expect(Object.keys(first)).toHaveLength(10);
    expect(first).toMatchObject({ read: 1, list: 1, create: 2, update: 2, scan: 2, search: 2, 'device list': 1 });
    for (const database of FURTHER_DATABASES) expect(await roundTrips(await freshAccount({ database }))).toEqual(first);
  });
});

test('a key from before the shards works, whatever its characters seem to name', async () => {
  const client = await freshAccount({ database: 'DB' });
  const lookup = (await freshAccount({ database: 'DB_2' })).apiKey.slice(3, 7) + client.apiKey.slice(7, 19);
  expect(shardOfAlphanumeric(lookup)).toBe(2);
  await d1('update api_keys set lookup = ? where account_id = ?', [lookup, client.accountId]);
  const older = clientOf(client.accountId, `pk_${lookup}_${client.apiKey.slice(20)}`);
  const reply = await older.get('/api/v3/pass');
  expect(reply.status).toBe(200);
  expect((await costOf(reply)).roundTrips).toBe(
    (await costOf(await (await freshAccount({ database: 'DB' })).get('/api/v3/pass'))).roundTrips + 1,
  );
  expect((await client.get('/api/v3/pass')).status).toBe(401);
});

test('a device has passes of accounts in several databases, each with its own list', async () => {
  const device = new Device();
  const passes = await Promise.all(
    ALL.map(async (database) => {
      const client = await freshAccount({ database });
      return { client, pass: await client.createPass(await client.createTemplate(), { userProvidedId: 'one' }) };
    }),
  );
  for (const { pass } of passes) expect((await device.register(pass)).status).toBe(201);
  for (const { client, pass } of passes) {
    const shard = shardOf(pass.identifier);
    const { body } = await device.list(undefined, shard);
    expect(body.serialNumbers).toEqual([pass.identifier]);
    await client.patch('/api/v3/pass/one', { data: { storedValue: 5 } });
    expect((await device.list(body.lastUpdated, shard)).body.serialNumbers).toEqual([pass.identifier]);
    expect((await device.fetch(pass)).status).toBe(200);
  }
  expect((await device.unregister(passes[1]!.pass)).status).toBe(200);
  expect((await device.list(undefined, 1)).status).toBe(204);
});

describe('a user with accounts in two databases', () => {
  test('sees both, and each log has the sign-in once', async () => {
    const [here, there] = [await freshAccount({ database: 'DB' }), await freshAccount({ database: 'DB_3' })];
    const person = await visitor(here, ['owner']);
    await admin('user invite', { account: there.accountId, email: person.email, privilege: ['owner'] });
    const { url } = await admin<{ url: string }>('sign-in-link', { email: person.email });
    const token = new URL(url).searchParams.get('token');
    const shown = await send('GET', `/console/sign-in?token=${token}`);
    expect(shown.status).toBe(200);
    const signedIn = await send('POST', '/console/sign-in', `token=${token}`, OWN_FORM);
    expect(signedIn.status).toBe(303);
    for (const account of [here, there]) {
      expect((await person.get(consolePath(account, 'settings'))).status).toBe(200);
      expect((await person.get(consolePath(account, 'members'))).body).toContain(person.email);
    }
    const actions = (client: Client, database: string) =>
      d1<{ action: string }>(
        'select action from audit_entries where account_id = ? order by id',
        [client.accountId],
        database,
      );
    const names = (await actions(there, 'DB_3')).map(({ action }) => action);
    expect(names.filter((action) => action === 'session.sign_in')).toHaveLength(1);
    expect(names).toEqual(expect.arrayContaining(['member.invite', 'session.create_link']));
    expect(await actions(there, 'DB')).toEqual([]);
    expect((await actions(here, 'DB')).filter(({ action }) => action === 'session.sign_in')).toHaveLength(2);
  });
});

describe('administration', () => {
  test('lists databases, and each account’s database', async () => {
    const client = await freshAccount({ database: 'DB_1' });
    const list = await admin<{ name: string; bytes: number; accounts: number }[]>('database list');
    expect(list.map(({ name }) => name)).toEqual(ALL);
    expect(list[1]).toMatchObject({ limitBytes: 10_000_000_000, openForNewAccounts: false });
    expect([list[1]!.accounts > 0, list[1]!.bytes > 0]).toEqual([true, true]);
    const accounts = await admin<{ accountId: string; database: string }[]>('account list');
    expect(accounts.find(({ accountId }) => accountId === client.accountId)?.database).toBe('DB_1');
  });

  test('reaches keys, suspension and quotas of an account elsewhere', async () => {
    const client = await freshAccount({ database: 'DB_1' });
    const created = await admin<{ apiKeyId: string; apiKey: string }>('api-key create', {
      account: client.accountId,
      name: 'Second',
    });
    await admin('api-key deactivate', { id: created.apiKeyId });
    expect((await clientOf(client.accountId, created.apiKey).get('/api/v3/pass')).status).toBe(401);
    await admin('account suspend', { id: client.accountId });
    expect((await client.get('/api/v3/pass')).status).toBe(401);
    await admin('account resume', { id: client.accountId });
    expect((await client.get('/api/v3/pass')).status).toBe(200);
  });

  test('puts new accounts into the open database with the most room', async () => {
    await admin('database open', { name: 'DB_2' });
    await admin('database close', { name: 'DB' });
    try {
      const { accountId } = await admin<{ accountId: string }>('account create', { name: 'Placed' });
      expect(shardOf(accountId)).toBe(2);
    } finally {
      await admin('database open', { name: 'DB' });
      await admin('database close', { name: 'DB_2' });
    }
  });

  test('rejects a database that is not bound', async () => {
    await expect(admin('database open', { name: 'DB_9' })).rejects.toThrow('must be a database binding');
    await expect(freshAccount({ database: 'DB_9' })).rejects.toThrow('must be one of');
  });
});

test('a job finds the database of its account', async () => {
  const client = await freshAccount({ database: 'DB_1' });
  const templateId = await client.createTemplate();
  await client.createPass(templateId);
  const reply = await client.delete(`/api/pass-template/${templateId}`);
  expect(reply.status).toBeLessThan(300);
  const line = await logged({ event: 'job', job: 'delete-template-passes', account: client.accountId });
  expect(line.status).toBe('done');
  await eventually(async () => (await rowsOf('DB_1', 'passes', client)).length === 0);
});
