import { afterEach, describe, expect, test } from 'vitest';
import { runTasks } from '../../../src/jobs/cron.ts';
import { memoryD1 } from '../../support/memory-d1.ts';
import { ORIGIN, ServiceInProcess, type ServiceReply } from '../../support/service-in-process.ts';

const TOKEN = 'a-token-of-the-deployment';
const FORM = { token: TOKEN, name: 'Aurora Rail', timezone: 'Europe/Vienna', email: 'Ada@Example.com' };
const ADDRESS = '203.0.113.7';

let service: ServiceInProcess;
afterEach(() => service.close());

/** An unused deployment. */
function deployment(settings: object = {}): ServiceInProcess {
  service = new ServiceInProcess();
  Object.assign(service.env, { BASE_URL: '', SETUP_TOKEN: TOKEN, ADMIN_TOKEN: undefined, ...settings });
  return service;
}

const HTML = { Accept: 'text/html' };
const OWN_FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', ...HTML };

const open = (headers: Record<string, string> = {}) =>
  service.send('GET', '/setup', undefined, { ...HTML, ...headers });

function submit(fields: object = {}, headers: Record<string, string> = {}): Promise<ServiceReply> {
  const form = new URLSearchParams({ ...FORM, ...fields });
  return service.send('POST', '/setup', form.toString(), { ...OWN_FORM, ...headers });
}

const cookieOf = ({ headers }: ServiceReply) => headers.get('Set-Cookie')?.split(';')[0] ?? '';
const rows = (table: string) => service.count(`select count(*) from ${table}`);

describe('/setup', () => {
  test('asks for the token, and creates the first account with its owner, who is signed in and an operator', async () => {
    deployment();
    const page = await open();
    expect(page.status).toBe(200);
    for (const text of ['Setup token', 'Account name', 'Time zone', 'Your e-mail address', ORIGIN]) {
      expect(page.body).toContain(text);
    }
    const reply = await submit();
    expect(reply.status).toBe(303);
    const [account] = await service.rows('select id, name, timezone from accounts');
    expect(account).toMatchObject({ name: 'Aurora Rail', timezone: 'Europe/Vienna' });
    expect(reply.headers.get('Location')).toBe(`/console/accounts/${account!.id}`);
    expect(await service.rows('select email, privileges, account_id from users join memberships')).toEqual([
      { email: 'ada@example.com', privileges: '["owner"]', account_id: account!.id },
    ]);
    const signedIn = { Cookie: cookieOf(reply), ...HTML };
    const overview = await service.send('GET', `/console/accounts/${account!.id}`, undefined, signedIn);
    expect(overview).toMatchObject({ status: 200, body: expect.stringContaining('Aurora Rail') });
    expect((await service.send('GET', '/console/service', undefined, signedIn)).status).toBe(200);
    const actions = await service.rows('select action, actor_type from audit_entries order by id');
    expect(actions).toEqual([
      { action: 'account.create', actor_type: 'operator' },
      { action: 'session.sign_in', actor_type: 'user' },
    ]);
  });

  test('is a 404 as soon as an account exists, whoever created it', async () => {
    deployment();
    expect((await submit()).status).toBe(303);
    expect([(await open()).status, (await submit()).status]).toEqual([404, 404]);
    service.close();
    deployment({ ADMIN_TOKEN: 'operator' });
    expect((await open()).status).toBe(200);
    await service.open();
    expect([(await open()).status, (await submit()).status]).toEqual([404, 404]);
    expect(await rows('accounts')).toBe(1);
  });

  test('opens again if the only account was a smoke test’s', async () => {
    deployment({ ADMIN_TOKEN: 'operator' });
    await service.open();
    expect((await open()).status).toBe(404);
    await service.admin('account delete', { id: service.accountId, confirm: 'Faults' });
    await service.minutes(1);
    expect((await open()).status).toBe(200);
    expect((await submit()).status).toBe(303);
  });

  test('costs no round trip once an account exists', async () => {
    deployment();
    await submit();
    await open();
    const lines = await linesOf(() => open());
    expect(lines).toMatchObject([{ route: '/setup', status: 404, d1RoundTrips: 0 }]);
  });

  test('creates one account if 50 people submit at once', async () => {
    deployment();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => submit({ name: `Account ${i}`, email: `owner-${i}@example.com` })),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(49);
    for (const table of ['accounts', 'users', 'memberships', 'sessions', 'service_settings']) {
      expect([table, await rows(table)]).toEqual([table, 1]);
    }
    const winner = replies.findIndex(({ status }) => status === 303);
    expect(await service.rows('select name, email from accounts, users')).toEqual([
      { name: `Account ${winner}`, email: `owner-${winner}@example.com` },
    ]);
  });

  test('creates one account if the database’s answer is lost', async () => {
    deployment();
    const reply = await service.failingNextWrite('after', () => submit());
    expect(reply.status).toBe(303);
    expect([await rows('accounts'), await rows('sessions')]).toEqual([1, 1]);
  });

  test('rejects a wrong token, and after 30 of them every one from that address', async () => {
    let counted = 0;
    deployment({ ATTEMPT_RATE_LIMITER: { limit: async () => ({ success: ++counted <= 30 }) } });
    const from = { 'CF-Connecting-IP': ADDRESS };
    const wrong = await submit({ token: `${TOKEN}!` }, from);
    expect(wrong).toMatchObject({ status: 400, body: expect.stringContaining('is not the SETUP_TOKEN') });
    // The entered values are shown again, except the token.
    expect(wrong.body).toContain('value="Aurora Rail"');
    expect(wrong.body).not.toContain(TOKEN);
    for (let i = 1; i < 30; i++) await submit({ token: `${TOKEN}${i}` }, from);
    expect((await submit({}, from)).status).toBe(429);
    expect(await rows('accounts')).toBe(0);
    expect((await submit({}, { 'CF-Connecting-IP': '203.0.113.8' })).status).toBe(303);
  });

  test.each([
    ['name', '', 'must not be empty'],
    ['timezone', 'Mars/Base', 'must be an IANA time zone'],
    ['email', 'ada', 'must be an e-mail address'],
    ['token', '', 'is not the SETUP_TOKEN'],
  ])('shows the form again for a wrong %s', async (name, value, message) => {
    deployment();
    const reply = await submit({ [name]: value });
    expect(reply).toMatchObject({ status: 400, body: expect.stringContaining(message) });
    expect(reply.body).toContain(`id="${name}-error"`);
    expect(await rows('accounts')).toBe(0);
  });

  test.each([
    ['a token', { SETUP_TOKEN: undefined }, 'Set a setup token first'],
    ['a token that nobody guesses', { SETUP_TOKEN: 'short' }, 'Set a longer setup token'],
    ['an encryption key', { ENCRYPTION_KEY: undefined }, 'Set an encryption key first'],
  ])('says how to set %s if it is missing', async (_, settings, title) => {
    deployment(settings);
    for (const reply of [
      await open(),
      await submit({ token: (settings as { SETUP_TOKEN?: string }).SETUP_TOKEN ?? '' }),
    ]) {
      expect(reply).toMatchObject({ status: 200, body: expect.stringContaining(title) });
    }
    expect(await rows('accounts')).toBe(0);
  });

  test('suggests a passkey if no sign-in link can be mailed', async () => {
    deployment();
    expect((await open()).body).toContain('Then add a passkey under Profile');
    Object.assign(service.env, { MAIL_FROM: 'passes@example.com', EMAIL: {} });
    expect((await open()).body).not.toContain('passkey');
  });

  test('opens the other databases of the deployment for accounts', async () => {
    const further = memoryD1();
    deployment({ DB_1: further.d1 });
    expect((await submit()).status).toBe(303);
    expect(await service.rows('select name, is_open from databases')).toEqual([{ name: 'DB_1', is_open: 1 }]);
    further.database.close();
  });

  test('rejects a form from another site', async () => {
    deployment();
    const reply = await submit({}, { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://elsewhere.example' });
    expect(reply.status).toBe(403);
    expect(await rows('accounts')).toBe(0);
  });
});

/** Returns the log lines of requests during `work`. */
async function linesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
  const { mock } = console.log as unknown as { mock: { calls: [string][] } };
  const before = mock.calls.length;
  await work();
  return mock.calls.slice(before).map(([line]) => JSON.parse(line));
}

describe('the address of the service', () => {
  test('is the setup’s, even for requests to another address', async () => {
    deployment({ ADMIN_TOKEN: 'operator' });
    await submit();
    expect(await service.admin('service show', {})).toEqual({ baseUrl: ORIGIN, source: 'settings', stored: ORIGIN });
    const link = await service.admin<{ url: string }>('sign-in-link', { email: FORM.email });
    // The command was sent to http://localhost.
    expect(link.url).toMatch(new RegExp(`^${ORIGIN}/console/sign-in\\?token=`));
  });

  test('is read once per isolate, and later after the reply', async () => {
    deployment();
    const costs = async () => (await linesOf(() => service.send('GET', '/health', undefined, {})))[0]!.d1RoundTrips;
    expect([await costs(), await costs()]).toEqual([1, 1]);
  });

  test('is changed in the settings of the service, by an operator, with an entry in the audit log', async () => {
    deployment({ ADMIN_TOKEN: 'operator' });
    const cookie = { Cookie: cookieOf(await submit()) };
    const change = (baseUrl: string, headers: object = cookie) =>
      service.send('POST', '/console/service/address', new URLSearchParams({ baseUrl }).toString(), {
        ...OWN_FORM,
        ...headers,
      });
    for (const wrong of [
      'passes.example.com',
      'http://passes.example.com',
      'https://a.example/path',
      'https://u@b.example',
      '',
    ]) {
      expect(await change(wrong)).toMatchObject({
        status: 400,
        body: expect.stringContaining('must be an https address'),
      });
    }
    expect((await change('https://new.example', {})).headers.get('Location')).toBe('/console/sign-in');
    expect((await change('https://New.example/')).status).toBe(303);
    const link = await service.admin<{ url: string }>('sign-in-link', { email: FORM.email });
    expect(link.url).toMatch(/^https:\/\/new\.example\/console/);
    // Repeating it changes nothing.
    await change('https://new.example');
    const entries = await service.rows("select changes from audit_entries where action = 'service.change_address'");
    expect(entries.map(({ changes }) => JSON.parse(String(changes)))).toEqual([
      [{ field: 'baseUrl', old: ORIGIN, new: 'https://new.example' }],
    ]);
    const page = await service.send('GET', '/console/service', undefined, { ...cookie, ...HTML });
    expect(page.body).toContain('https://new.example');
  });

  test('is changed by a command, which names its option', async () => {
    deployment({ ADMIN_TOKEN: 'operator' });
    const changed = { baseUrl: 'https://cli.example', source: 'settings', stored: 'https://cli.example' };
    expect(await service.admin('service update', { 'base-url': 'https://cli.example/' })).toEqual(changed);
    await expect(service.admin('service update', { 'base-url': 'cli.example' })).rejects.toThrow(
      'base-url: must be an https address without a path',
    );
    // Setup keeps an address that an operator has chosen.
    expect((await submit()).status).toBe(303);
    expect(await service.admin('service show', {})).toEqual(changed);
  });

  test('is BASE_URL if that is set', async () => {
    deployment({ ADMIN_TOKEN: 'operator', BASE_URL: 'https://set.example' });
    await submit();
    const link = await service.admin<{ url: string }>('sign-in-link', { email: FORM.email });
    expect(link.url).toMatch(/^https:\/\/set\.example\//);
    expect(await service.admin('service update', { 'base-url': 'https://later.example' })).toEqual({
      baseUrl: 'https://set.example',
      source: 'BASE_URL',
      stored: 'https://later.example',
    });
  });

  test('is read before the first task of an isolate', async () => {
    deployment();
    await submit();
    // Another isolate has another object for the same database.
    const DB = { withSession: () => service.env.DB.withSession() } as unknown as D1Database;
    const seen: string[] = [];
    const waitUntil = () => {};
    const runs = await runTasks({ ...service.env, DB }, { waitUntil } as unknown as ExecutionContext, {
      probe: async ({ baseUrl }) => void seen.push(baseUrl),
    });
    expect(runs).toEqual([{ task: 'probe', status: 'done' }]);
    expect(seen).toEqual([ORIGIN]);
  });
});
