import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import { createDevelopmentAuthority } from '../../scripts/development-ca.ts';
import { admin as adminRoutes } from '../../src/admin/route.ts';
import type { StatusView } from '../../src/admin/service-commands.ts';
import { firstUuidAt, uuidv7 } from '../../src/platform/ids.ts';
import { admin, clientOf, send } from '../support/api.ts';
import { d1, runScheduledEverywhere } from '../support/control.ts';
import { PASS_TYPE_ID } from '../support/start-worker.ts';

const { origin, adminToken } = inject('worker');

interface NewAccount {
  accountId: string;
  apiKey: string;
  apiKeyId: string;
}

const post = (body: object | string, token: string | null = adminToken) =>
  send('POST', '/admin/commands', body, {
    'Content-Type': 'application/json',
    ...(token && { Authorization: `Bearer ${token}` }),
  });

const newAccount = () => admin<NewAccount>('account create', { name: 'Operator' });
const statusWith = async (apiKey: string) => (await clientOf('', apiKey).get('/api/v3/project')).status;

describe('a command whose answer was lost', () => {
  const repeated = async (command: string, options: object) => {
    const repeatKey = uuidv7();
    const replies = [];
    for (const isRepeat of [false, true]) {
      const { status, body } = await post({ command, options, repeatKey, isRepeat });
      expect([status, body]).toEqual([200, expect.anything()]);
      replies.push(body);
    }
    return replies;
  };

  test.each([{}, { database: 'DB_2' }])('creates one account %o, and shows a working value of its key', async (at) => {
    const name = `Repeated ${uuidv7()}`;
    const [first, again] = await repeated('account create', { name, ...at });
    expect(again.accountId).toBe(first.accountId);
    expect([await statusWith(first.apiKey), await statusWith(again.apiKey)]).toEqual([401, 200]);
    const listed = await admin<{ name: string }[]>('account list');
    expect(listed.filter((one) => one.name === name)).toHaveLength(1);
  });

  test('creates one API key, and shows its value again', async () => {
    const { accountId } = await newAccount();
    const [first, again] = await repeated('api-key create', { account: accountId, name: 'Shop' });
    expect(again).toEqual(first);
    expect(await admin<unknown[]>('api-key list', { account: accountId })).toHaveLength(2);
  });

  test('rotates a signing key once, and restores none that was replaced since', async () => {
    const { accountId: account } = await newAccount();
    const repeatKey = uuidv7();
    const rotate = (more: object) => post({ command: 'signing-key rotate', options: { account }, ...more });
    const { body: first } = await rotate({ repeatKey });
    expect((await rotate({ repeatKey, isRepeat: true })).body).toEqual(first);
    const { body: next } = await rotate({});
    expect((await rotate({ repeatKey, isRepeat: true })).body).toEqual(first);
    const keys = await d1('select id, active from signing_keys where account_id = ? order by id', [account]);
    expect(keys).toEqual([
      { id: first.keyId, active: 0 },
      { id: next.keyId, active: 1 },
    ]);
  });

  test('stores one Google issuer', async () => {
    const { accountId: account } = await newAccount();
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const files = { issuerId: '3388000000012345678', clientEmail: 'passes@project.iam.gserviceaccount.com' };
    const options = { account, ...files, privateKeyPem: privateKey, development: true };
    const [first, again] = await repeated('google-issuer import', options);
    expect(again).toEqual(first);
    expect(await d1('select id from google_issuers where account_id = ?', [account])).toHaveLength(1);
  });

  test('is rejected a day later', async () => {
    const repeatKey = firstUuidAt(Date.now() - 25 * 3_600_000);
    const { status, body } = await post({ command: 'account create', options: { name: 'Late' }, repeatKey });
    expect([status, body]).toEqual([400, { error: 'repeat: must be a key of the last 24 hours' }]);
  });
});

describe('the administration entry', () => {
  test.each([{}, { ADMIN_TOKEN: '' }])('does not exist if the environment is %o', async (env) => {
    const headers = { Authorization: 'Bearer ' };
    const reply = await adminRoutes.request('/commands', { method: 'POST', headers, body: '{}' }, env);
    expect(reply.status).toBe(404);
  });

  test.each(['http://192.168.1.20:8787', 'https://demo.trycloudflare.com'])(
    'does not exist at %s',
    async (elsewhere) => {
      const request = { method: 'POST', headers: { Authorization: 'Bearer local' }, body: '{}' };
      const reply = await adminRoutes.request(`${elsewhere}/commands`, request, { ADMIN_TOKEN: 'local' });
      expect(reply.status).toBe(404);
    },
  );

  test.each([null, 'wrong', ''])('rejects the token %o', async (token) => {
    const { status, body } = await post({ command: 'account list' }, token);
    expect([status, body]).toEqual([401, { error: 'The administration token is missing or wrong' }]);
  });

  test('lists the known commands for an unknown one', async () => {
    const { status, body } = await post({ command: 'account destroy' });
    expect(status).toBe(400);
    expect(body.error).toMatch(/^Unknown command "account destroy"; use one of: account create, account list, /);
    expect((await post({ command: 'constructor' })).status).toBe(400);
  });

  test.each([
    ['{', 'The body is not JSON'],
    [{}, 'command: is required'],
    [{ command: 'account create' }, 'name: is required'],
    [{ command: 'account create', options: { name: 'A', color: 'red' } }, 'Unrecognized key: "color"'],
    [
      { command: 'user invite', options: { account: 'A', email: 'a@example.com', privilege: ['fly'] } },
      'privilege.0: ',
    ],
  ])('rejects %o', async (sent, message) => {
    const { status, body } = await post(sent);
    expect(status).toBe(400);
    expect(body.error).toContain(message);
  });

  test.each([
    ['api-key list', { account: 'nobody' }, '--account nobody'],
    ['api-key activate', { id: 'nothing' }, '--id nothing'],
    ['sign-in-link', { email: 'ghost@example.com' }, '--email ghost@example.com'],
  ])('reports what %s did not find', async (command, options, named) => {
    expect(await post({ command, options })).toMatchObject({
      status: 404,
      body: { error: `Not found: ${named}` },
    });
  });
});

describe('API keys', () => {
  test('are created, deactivated, activated and deleted, each from the next request on', async () => {
    const { accountId } = await newAccount();
    const { apiKey, apiKeyId } = await admin<NewAccount>('api-key create', { account: accountId, name: 'Till' });
    expect(await statusWith(apiKey)).toBe(200);
    expect(await admin('api-key deactivate', { id: apiKeyId })).toEqual({ apiKeyId, active: false });
    expect(await statusWith(apiKey)).toBe(401);
    expect(await admin('api-key activate', { id: apiKeyId })).toEqual({ apiKeyId, active: true });
    expect(await statusWith(apiKey)).toBe(200);
    expect(await admin('api-key delete', { id: apiKeyId })).toEqual({ deleted: 1 });
    expect(await statusWith(apiKey)).toBe(401);
  });

  test('are listed as expired after their last day', async () => {
    const { accountId, apiKey, apiKeyId } = await newAccount();
    const endedAt = Date.now() - 1_000;
    await d1('update api_keys set expires_at = ? where id = ?', [endedAt, apiKeyId]);
    expect(await statusWith(apiKey)).toBe(401);
    expect(await admin('api-key list', { account: accountId })).toMatchObject([
      { apiKeyId, active: false, expiresOn: new Date(endedAt).toISOString() },
    ]);
  });

  test('are listed without their value, and deleted when they were never used', async () => {
    const { accountId, apiKey, apiKeyId } = await newAccount();
    await admin<NewAccount>('api-key create', { account: accountId, name: 'Till', scope: ['scans:write'] });
    const listed = await admin('api-key list', { account: accountId });
    const common = { active: true, createdOn: expect.any(String), lastUsed: null, expiresOn: null };
    expect(listed).toEqual([
      { apiKeyId, name: 'Default', scopes: ['*'], createdBy: 'operator', ...common },
      { apiKeyId: expect.any(String), name: 'Till', scopes: ['scans:write'], createdBy: 'operator', ...common },
    ]);
    expect(JSON.stringify(listed)).not.toContain(apiKey.slice(-43));
    expect(await admin('api-key delete-unused', { account: accountId })).toEqual({ deleted: 2 });
  });
});

describe('accounts and users', () => {
  test('are listed with their time zone', async () => {
    const { accountId } = await admin<NewAccount>('account create', { name: 'Lindhof', timezone: 'Europe/Berlin' });
    const accounts = await admin<{ accountId: string }[]>('account list');
    expect(accounts.find((account) => account.accountId === accountId)).toMatchObject({
      name: 'Lindhof',
      timezone: 'Europe/Berlin',
    });
  });

  test('are invited with privileges and get a link to sign in', async () => {
    const { accountId } = await newAccount();
    const email = `operator-${accountId}@example.com`;
    const member = await admin('user invite', { account: accountId, email, privilege: ['api_keys.manage'] });
    expect(member).toEqual({ accountId, userId: expect.any(String), email, privileges: ['api_keys.manage'] });
    const { url, expiresAt } = await admin<{ url: string; expiresAt: string }>('sign-in-link', { email });
    expect(url).toMatch(new RegExp(`^${origin}/console/sign-in\\?token=[\\w-]{43}$`));
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(14);
    expect(minutes).toBeLessThanOrEqual(15);
  });
});

describe('secrets', () => {
  test('are encrypted again, and counted by key', async () => {
    await newAccount();
    const report = await admin('secrets rotate');
    // The Worker under test has always used a single key.
    expect(report).toEqual({ rotated: 0, replaced: 0, unreadable: 0, texts: { '2': expect.any(Number) }, next: null });
    const place = 'app_configuration_links.secrets:';
    expect(await admin('secrets rotate', { after: place })).toMatchObject({ next: null });
    const { status, body } = await post({ command: 'secrets rotate', options: { after: 'nowhere' } });
    expect([status, body.error]).toEqual([400, 'after: must be the value of "next" from an earlier run']);
  });
});

describe('how pushes reach Apple', () => {
  test('is set for a certificate, listed without secrets, and removed', async () => {
    const { accountId } = await newAccount();
    const passTypeId = `pass.com.example.operator-${accountId}`;
    const facts = { passTypeId, teamId: 'TEAM012345', organizationName: 'Operator', keyType: 'ec' } as const;
    const { rootPem, ...files } = await createDevelopmentAuthority(facts);
    const imported = { account: accountId, ...files };
    const { certificateId } = await admin<{ certificateId: string }>('certificate import', imported);
    const relay = { 'relay-url': 'https://relay.example.com', 'relay-token': 'a-token-of-this-very-test' };
    expect(await admin('certificate push', { id: certificateId, ...relay })).toEqual({
      certificateId,
      passTypeId,
      push: 'relay https://relay.example.com',
    });
    const ofType = await admin('certificate list', { 'pass-type': passTypeId });
    expect(ofType).toMatchObject([{ certificateId, accountId, passTypeId, push: 'relay https://relay.example.com' }]);
    expect(ofType).toEqual(await admin('certificate list', { account: accountId }));
    expect(JSON.stringify(ofType)).not.toMatch(/a-token-of-this-very-test|Sealed|KEY/);
    expect(await admin('certificate push', { id: certificateId, none: true })).toMatchObject({ push: null });
    const local = {
      command: 'certificate push',
      options: { id: certificateId, ...relay, 'relay-url': 'http://127.0.0.1' },
    };
    expect(await post(local)).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^relay-url: /) } });
    expect((await post({ command: 'certificate push', options: { id: 'nothing', none: true } })).status).toBe(404);
  });
});

describe('status', () => {
  test('shows the state of the service', async () => {
    await runScheduledEverywhere();
    const status = await admin<StatusView>('status');
    expect(Object.keys(status)).toEqual([
      ...['healthy', 'measuredOn', 'alerts', 'backlog', 'webhookLagSeconds', 'failedJobs', 'failingEndpoints'],
      ...['certificates', 'database'],
    ]);
    expect(Date.now() - Date.parse(status.measuredOn!)).toBeLessThan(60_000);
    expect(Object.keys(status.backlog)).toEqual([
      ...['pushes', 'pushPages', 'messages', 'events', 'deliveries', 'images', 'processes'],
    ]);
    expect(status.database.bytes).toBeGreaterThan(100_000);
    expect(status.database.days.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10));
    expect(status.certificates.map(({ passTypeId }) => passTypeId)).toContain(PASS_TYPE_ID);
  });

  test('grants operator permissions, and needs exactly one of --on and --off', async () => {
    const operator = { email: `ops-${crypto.randomUUID()}@example.com` };
    for (const flags of [{}, { on: true, off: true }]) {
      await expect(admin('user operator', { ...operator, ...flags })).rejects.toThrow('on or off');
    }
    await expect(admin('user operator', { ...operator, off: true })).rejects.toThrow('Not found: --email');
    await expect(admin('user operator', { email: 'nobody', on: true })).rejects.toThrow('e-mail address');
    expect(await admin('user operator', { ...operator, on: true })).toMatchObject({ operator: true });
  });
});
