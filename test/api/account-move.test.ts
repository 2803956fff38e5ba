import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardOf } from '../../src/platform/ids.ts';
import { consolePath, visitor } from '../pages/console/browser-session.ts';
import { admin, clientOf, freshAccount, type Reply, send } from '../support/api.ts';
import { createConfiguration, scan } from '../support/app-scans.ts';
import { allLogged, costOf, d1, eventually, runScheduledEverywhere } from '../support/control.ts';
import { COPIED_PASS, copyRow } from '../support/copy-row.ts';
import { DATABASES, databaseOf } from '../support/database-of.ts';
import { type OutsideServer, openOutsideServer } from '../support/outside-server.ts';
import { createScanner } from '../support/scanner.ts';
import { subscribed, told, webhookId } from '../support/webhooks.ts';
import { Device } from '../wallets/apple/web-service/device.ts';

/* An account moves while in use by callers, scanners, phones and webhook receivers. */

/** Passes of the account; `MOVED_PASSES=20000` for a large one. */
const PASSES = Number(process.env.MOVED_PASSES ?? 1_000);
const [FROM, TO] = ['DB_1', 'DB_2'];

type Path = `/${string}`;
const pathOf = (link: string) => new URL(link).pathname as Path;

interface Moved {
  moved: Record<string, number>;
  readOnlyMs: number;
  done?: boolean;
}

/** Accounts that have moved away. */
const away = new Set<string>();

/** Moves an account like the administration script. */
async function moveAccount(id: string, to: string): Promise<Moved> {
  if (to === FROM) away.delete(id);
  else away.add(id);
  for (;;) {
    const reply = await admin<Moved>('account move', { id, to });
    if (reply.done !== false) return reply;
  }
}

let receiver: OutsideServer;
beforeAll(async () => {
  receiver = await openOutsideServer();
});
afterAll(async () => {
  await receiver.close();
  // Requests for things of a shard cost more while an account of it is elsewhere.
  for (const id of away) await moveAccount(id, FROM);
  // Ends the moves: what a moved account leaves on the tables adds to the cost of writes, which other files measure.
  for (const database of DATABASES) await d1('update account_moves set moved_at = 1', [], database);
  await eventually(async () => {
    await runScheduledEverywhere();
    const left = await Promise.all(DATABASES.map((database) => d1('select 1 from account_moves', [], database)));
    return left.flat().length === 0;
  });
});

/** Whether a write took effect. Otherwise it must have been rejected temporarily. */
function wrote(reply: Reply): boolean {
  if (reply.status === 503) {
    expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(0);
    return false;
  }
  expect(reply.status).toBeLessThan(300);
  return true;
}

test('an account moves while callers, scanners, phones and webhooks continue', async () => {
  const client = await freshAccount({ database: FROM });
  const templateId = await client.createTemplate();
  const configuration = await createConfiguration(client, { scanMode: 1 });
  const scanned = await client.createPass(templateId);
  const changed = await client.createPass(templateId, { userProvidedId: 'changed' });
  const shown = await client.createPass(templateId);
  const run = <Row>(statement: string, params: unknown[]) => d1<Row>(statement, params, FROM);
  await copyRow(run, {
    ...{ table: 'passes', where: 'id = ?', params: [shown.identifier], rows: PASSES },
    own: { ...COPIED_PASS, id: "printf('0198f000-%04x-7000-8000-%s', numbers.value, substr(id, -12))" },
  });
  await subscribed(client, `${receiver.origin}/created`);
  const device = new Device();
  expect((await device.register(shown)).status).toBe(201);

  let isOver = false;
  const created: string[] = [];
  let [values, scans, refused, reads] = [0, 0, 0, 0];
  let voided = false;
  const devices: Device[] = [];
  const untilOver = async (work: () => Promise<void>) => {
    while (!isOver) await work();
  };
  const creating = untilOver(async () => {
    const reply = await client.post('/api/v3/pass', { data: { templateId } });
    if (wrote(reply)) created.push(reply.body.data.identifier);
    else refused += 1;
  });
  const updating = untilOver(async () => {
    const reply = await client.patch('/api/v3/pass/changed', { data: { storedValue: values + 1 } });
    if (wrote(reply)) values += 1;
    if (wrote(await client.put(`/api/pass/${changed.identifier}`, { voided: !voided }))) voided = !voided;
  });
  const scanning = untilOver(async () => {
    if (wrote(await scan(client, configuration, scanned.barcodeValue))) scans += 1;
  });
  const phones = untilOver(async () => {
    const phone = new Device();
    if (wrote(await phone.register(shown))) devices.push(phone);
    expect((await device.fetch(shown)).status).toBe(200);
    expect((await device.list(undefined, shardOf(shown.identifier))).body.serialNumbers).toEqual([shown.identifier]);
  });
  const reading = untilOver(async () => {
    expect((await client.get(`/api/v3/pass/${shown.identifier}`)).status).toBe(200);
    expect((await send('GET', pathOf(shown.linkToPassPage))).status).toBe(200);
    reads += 1;
  });
  const everybody = () => [created.length, values, scans, devices.length, reads];
  await eventually(() => everybody().every((count) => count > 2));
  const startedAt = performance.now();
  const { moved, readOnlyMs } = await moveAccount(client.accountId, TO);
  const tookMs = performance.now() - startedAt;
  // Some continue in the new database.
  const before = everybody();
  await eventually(() => everybody().every((count, i) => count > before[i]! + 2));
  isOver = true;
  await Promise.all([creating, updating, scanning, phones, reading]);

  const work = everybody().join(', ');
  console.log(
    `${PASSES} passes: ${Math.round(tookMs)} ms, ${readOnlyMs} of them read-only; done ${work}, refused ${refused}`,
  );
  expect(moved.passes).toBeGreaterThanOrEqual(PASSES + 3);
  expect(readOnlyMs).toBeLessThan(tookMs / 2);
  const [counts] = await d1<Record<string, number>>(
    `select (select count(*) from passes where account_id = ?1) as passes,
      (select count(*) from app_scans where account_id = ?1) as scans,
      (select count(*) from registrations where account_id = ?1) as registrations`,
    [client.accountId],
    TO,
  );
  expect(counts).toEqual({ passes: PASSES + 3 + created.length, scans, registrations: devices.length + 1 });
  const stored = await d1<{ id: string }>('select id from passes where account_id = ?', [client.accountId], TO);
  const ids = new Set(stored.map(({ id }) => id));
  expect(created.filter((id) => !ids.has(id))).toEqual([]);
  const state = (await client.get('/api/v3/pass/changed')).body.data;
  expect([state.storedValue, state.voided]).toEqual([values, voided]);
  const requests = await receiver.received(created.length);
  expect(requests.map((request) => told(request).identifier).sort()).toEqual([...created].sort());
  expect(new Set(requests.map(webhookId)).size).toBe(created.length);
  await runScheduledEverywhere();
  expect(await allLogged({ event: 'task', database: TO, status: 'failed' })).toEqual([]);
  expect(await allLogged({ event: 'task', database: FROM, status: 'failed' })).toEqual([]);
}, 600_000);

test('its keys, scanner links, members, sub-customers and bundles move along', async () => {
  const client = await freshAccount({ database: FROM });
  const templateId = await client.createTemplate();
  const [one, other] = [await client.createPass(templateId), await client.createPass(templateId)];
  const bundle = await client.post('/api/v2/pass-bundle', { passes: [one.identifier, other.identifier] });
  const scanner = await createScanner(client);
  const member = await visitor(client, ['owner']);
  const { body } = await client.post('/api/customer', { company_name: 'Harbour Theatre', last_name: 'Hopper' });
  const customer = clientOf(body.customer_identifier, body.apiToken);
  const customerTemplate = await customer.createTemplate();
  await admin('account update', { id: client.accountId, 'passes-max': '10' });

  expect(await moveAccount(client.accountId, TO)).toMatchObject({ moved: { passes: 2, api_keys: 1 } });

  expect((await send('GET', pathOf(bundle.body.data.urlToPass))).status).toBe(200);
  expect((await send('GET', scanner.path as Path)).status).toBe(200);
  expect((await member.get(consolePath(client, 'members'))).status).toBe(200);
  await customer.createPass(customerTemplate);
  await client.createPass(templateId);
  expect((await member.get(consolePath(client, 'settings'))).status).toBe(200);
  const further = await client.post('/api/customer', { company_name: 'Quay Theatre', last_name: 'Hopper' });
  expect(shardOf(further.body.customer_identifier)).toBe(2);
  const used = (database: string) =>
    d1('select used from account_quotas where account_id = ? and quota = ?', [client.accountId, 'passes'], database);
  expect([await used(FROM), await used(TO)]).toEqual([[{ used: 1 }], [{ used: 3 }]]);
  const list = await admin<{ accountId: string; database: string }[]>('account list');
  expect(list.filter(({ accountId }) => accountId === client.accountId)).toMatchObject([{ database: TO }]);
});

test('an account that has moved costs as many round trips as before, from the second request on', async () => {
  const client = await freshAccount({ database: FROM });
  const pass = await client.createPass(await client.createTemplate());
  const scanner = await createScanner(client);
  const device = new Device();
  expect((await device.register(pass)).status).toBe(201);
  const requests: Record<string, () => Promise<Reply>> = {
    read: () => client.get(`/api/v3/pass/${pass.identifier}`),
    list: () => client.get('/api/v3/pass'),
    page: () => send('GET', pathOf(pass.linkToPassPage)),
    file: () => send('GET', pathOf(pass.linkToPassFile)),
    'device file': () => device.fetch(pass),
    scanner: () => send('GET', scanner.path as Path),
  };
  const costs = async () => {
    const found: Record<string, number> = {};
    for (const [name, ask] of Object.entries(requests)) {
      expect([name, (await ask()).status]).toEqual([name, 200]);
      found[name] = (await costOf(await ask())).roundTrips;
    }
    return found;
  };
  const before = await costs();
  expect(before).toMatchObject({ read: 1, list: 1 });
  // On, and back: what the isolate remembers is outdated each time.
  for (const to of [TO, 'DB_3', FROM]) {
    await moveAccount(client.accountId, to);
    expect([to, await costs()]).toEqual([to, before]);
  }
});

test('a rejected write gets a 503 with Retry-After', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const pass = await client.createPass(templateId);
  const configuration = await createConfiguration(client, { scanMode: 1 });
  const tables = ['passes', 'app_scans', 'idempotency_keys', 'registrations'];
  for (const table of tables) {
    await d1(`create trigger refuse_${table} before insert on ${table} when NEW.account_id = '${client.accountId}'
      begin select raise(abort, 'the account is being moved'); end`);
  }
  const create = `/api/pass?passtemplate=${templateId}&integrationStyle=true` as const;
  const replies = {
    v1: await client.post(create, {}),
    v3: await client.post('/api/v3/pass', { data: { templateId } }),
    repeated: await client.post(create, {}, { 'Idempotency-Key': 'one' }),
    scan: await scan(client, configuration, pass.barcodeValue),
    device: await new Device().register(pass),
  };
  for (const table of tables) await d1(`drop trigger refuse_${table}`, [], databaseOf(client));
  const seen = Object.entries(replies).map(([name, { status, headers }]) => [name, status, headers.get('Retry-After')]);
  expect(seen).toEqual(Object.keys(replies).map((name) => [name, 503, '2']));
  const message = 'The account is being moved to another database; try again soon';
  expect(replies.v1.body).toEqual({ ErrorMessage: message });
  expect(JSON.stringify(replies.v3.body)).toContain(message);
  expect((await client.get(`/api/v3/pass/${pass.identifier}`)).status).toBe(200);
});

test('an account moves only to databases in use', async () => {
  const client = await freshAccount({ database: FROM });
  await expect(admin('account move', { id: client.accountId, to: 'DB_9' })).rejects.toThrow('must be one of');
  await expect(admin('account move', { id: '0198f000-0000-7000-8000-000000000001', to: TO })).rejects.toThrow(
    'Not found',
  );
});
