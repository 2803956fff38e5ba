import { beforeAll, describe, expect, inject, test } from 'vitest';
import { consoleRoutes } from '../../../src/pages/console/route.tsx';
import { admin, type Client, freshAccount, send } from '../../support/api.ts';
import { createConfiguration } from '../../support/app-scans.ts';
import { actionsOf, auditEntries, withDeafLog } from '../../support/audit.ts';
import { d1, d1Everywhere, eventually, runScheduledEverywhere } from '../../support/control.ts';
import { copyRow } from '../../support/copy-row.ts';
import { createScanner } from '../../support/scanner.ts';
import { deliveriesOf, subscribed } from '../../support/webhooks.ts';
import { allSections } from '../../support/whole-console.ts';
import { consolePath, OWN_FORM, type Visitor, visitor } from './browser-session.ts';

/** Personal data of a holder. Each page that shows any of it adds an entry, but no entry contains it. */
const PERSONAL = ['holder-in-question@example.com', '+436641234567', 'pin-4711', 'born 1912-06-23', 'scanned-note-77'];

const ACCOUNT = '/console/accounts/:account';

let account: Client;
let passId: string;
let names: Record<string, string>;
let trusted: Visitor;
let reader: Visitor;

beforeAll(async () => {
  account = await freshAccount();
  [trusted, reader] = [await visitor(account, ['owner']), await visitor(account, ['read', 'passes.edit', 'scan'])];
  const hook = await subscribed(account, 'https://nobody.example.com/hook', { event: 'pass_created' });
  const template = await account.createTemplate({
    additionalProperties: [{ name: 'Birthday', personal: true }],
    sendoutOptions: { passCreationNotification: { subject: 'Yours', emailTemplate: 'Hello' } },
  } as never);
  const { body } = await account.get(`/api/v2/pass-template/${template}/describe`);
  const pass = await account.createPass(template, {
    emailRecipient: PERSONAL[0],
    phoneRecipient: PERSONAL[1],
    downloadPin: PERSONAL[2],
    [body.data.additionalProperties[0].id]: PERSONAL[3],
    bundleId: 'family',
  });
  passId = pass.identifier;
  const gate = await createConfiguration(account, { additionalProperties: [{ name: 'Note', type: 'unicode' }] });
  const { configurationId, additionalProperties } = gate;
  await account.post('/api/appscan', {
    appConfigurationId: configurationId,
    scannedBarcodeValue: pass.barcodeValue,
    additionalProperties: [{ id: additionalProperties[0]!.id, value: PERSONAL[4] }],
  });
  const bulk = await account.patch('/api/v3/pass/bulk', {
    data: { storedValue: 1 },
    // No pass has it: the errors list what was not found.
    filter: { identifiers: [PERSONAL[0]] },
  });
  const delivery = await eventually(async () => (await deliveriesOf(account, hook.identifier))[0]);
  const message = await eventually(
    async () => (await d1<{ id: string }>('select id from messages where account_id = ?', [account.accountId]))[0],
  );
  names = {
    templates: template,
    passes: passId,
    processes: bulk.body.data.processId,
    webhooks: hook.identifier,
    deliveries: delivery!.deliveryId,
    messages: message.id,
    'app-configurations': configurationId,
  };
});

/** Every page of an account, with the names of its objects. */
const pages = [
  ...new Set(
    consoleRoutes(allSections)
      .routes.filter(({ method }) => method === 'GET')
      .map(({ path }) => path),
  ),
]
  .filter((path) => path.startsWith(ACCOUNT) && !path.endsWith('*'))
  .filter((path) => !path.endsWith('/events'));

function addressOf(path: string): string {
  const address = path.split('/').map((part, i, all) => {
    if (!part.startsWith(':')) return part;
    return part === ':account' ? account.accountId : (names[all[i - 1]!] ?? crypto.randomUUID());
  });
  const columns = 'column=emailRecipient&column=phoneRecipient';
  return `${address.join('/')}?id=family&${columns}`;
}

const isView = (action: string) => action.endsWith('.view') || action.includes('.export');

describe('personal data', () => {
  test.for(pages)('adds an entry if %s shows it', async (path) => {
    const before = (await actionsOf(account.accountId)).length;
    const reply = await trusted.get(addressOf(path));
    const shown = PERSONAL.filter((value) => String(reply.body).includes(value));
    const added = (await auditEntries(account.accountId)).slice(before);
    if (shown.length === 0) return expect(added.filter(({ action }) => !isView(action))).toEqual([]);
    expect(added).toEqual([
      expect.objectContaining({ actor_type: 'user', email: trusted.email, ip: '127.0.0.1', changes: null }),
    ]);
    expect(isView(added[0]!.action)).toBe(true);
  });

  test('is shown by each page listed as showing it', async () => {
    const seen = new Set((await actionsOf(account.accountId)).filter(isView));
    const kinds = ['messages.view', 'message.view', 'passes.view', 'passes.export', 'pass.view', 'bundle.view'];
    expect([...seen]).toEqual(
      expect.arrayContaining([...kinds, 'scans.view', 'scans.export', 'webhook_delivery.view', 'process.view']),
    );
    const views = (await auditEntries(account.accountId)).filter(({ action }) => action === 'pass.view');
    expect(new Set(views.map(({ target_id }) => target_id))).toEqual(new Set([passId]));
  });

  test('adds none for members who do not see it, or for API reads', async () => {
    const before = await actionsOf(account.accountId);
    for (const path of pages) await reader.get(addressOf(path));
    await account.get(`/api/v3/pass/${passId}`);
    await account.get('/api/v3/pass');
    expect(await actionsOf(account.accountId)).toEqual(before);
  });

  test('is not shown if no entry can be written', async () => {
    await withDeafLog(account.accountId, async () => {
      await expect(trusted.get(consolePath(account, 'passes', passId))).rejects.toThrow(/deaf/);
      await expect(trusted.get(consolePath(account, 'passes', 'export'))).rejects.toThrow(/deaf/);
    });
  });

  test('is in no entry, and neither is a secret', async () => {
    const links = await d1('select token_digest, secrets from app_configuration_links where account_id = ?', [
      account.accountId,
    ]);
    await createScanner(account);
    await subscribed(account, 'https://nobody.example.com/secret-in-address', { event: 'pass_voided' });
    const log = JSON.stringify(await auditEntries(account.accountId));
    expect([...PERSONAL, account.apiKey, 'secret-in-address', 'whsec_'].filter((value) => log.includes(value))).toEqual(
      [],
    );
    expect(links.flatMap((link) => Object.values(link)).filter((value) => log.includes(String(value)))).toEqual([]);
  });
});

describe('a sign-in', () => {
  const tokenFor = async (email: string) => {
    const { url } = await admin<{ url: string }>('sign-in-link', { email });
    return new URL(url).searchParams.get('token')!;
  };
  const enter = (token: string) => send('POST', '/console/sign-in', `token=${token}`, OWN_FORM);

  test('and a failed one are logged in every account of the user, and one by an unknown user nowhere', async () => {
    const [one, other, foreign] = [await freshAccount(), await freshAccount(), await freshAccount()];
    const email = `both-${one.accountId}@example.com`;
    for (const { accountId } of [one, other]) await admin('user invite', { account: accountId, email });
    const token = await tokenFor(email);
    const total = async () => (await d1Everywhere('select 1 from audit_entries')).length;
    expect((await enter(token)).status).toBe(303);
    expect((await enter(token)).status).toBe(401);
    const told = [
      'account.create',
      'member.invite',
      'session.create_link',
      'session.sign_in',
      'session.sign_in_failed',
    ];
    expect(await actionsOf(one.accountId)).toEqual(told);
    expect((await actionsOf(other.accountId)).filter((action) => action.startsWith('session.'))).toEqual(told.slice(2));
    expect(await actionsOf(foreign.accountId)).toEqual(['account.create']);
    const [user] = await d1<{ id: string }>('select id from users where email = ?', [email]);
    expect((await auditEntries(other.accountId)).at(-1)).toMatchObject({
      ...{ actor_type: 'user', actor_id: user!.id, email, target_id: user!.id, ip: '127.0.0.1' },
      changes: '[{"field":"method","new":"link"}]',
    });
    const before = await total();
    expect((await enter('x'.repeat(43))).status).toBe(401);
    expect(await total()).toBe(before);
  });

  test('fails with an expired link, and with another browser’s', async () => {
    const own = await freshAccount();
    const email = `late-${own.accountId}@example.com`;
    await admin('user invite', { account: own.accountId, email });
    const expired = await tokenFor(email);
    const ofUser = '(select id from users where email = ?)';
    await d1(`update sign_in_tokens set expires_at = ? where user_id = ${ofUser}`, [Date.now() - 60_000, email]);
    await runScheduledEverywhere();
    expect((await enter(expired)).status).toBe(401);
    const elsewhere = await tokenFor(email);
    await d1(`update sign_in_tokens set browser_digest = 'another' where user_id = ${ofUser}`, [email]);
    expect((await enter(elsewhere)).status).toBe(401);
    const failed = (await actionsOf(own.accountId)).filter((action) => action === 'session.sign_in_failed');
    expect(failed).toHaveLength(2);
  });

  test('of 50 simultaneous ones with one link, one succeeds and 49 fail', async () => {
    const own = await freshAccount();
    const email = `race-${own.accountId}@example.com`;
    await admin('user invite', { account: own.accountId, email });
    const token = await tokenFor(email);
    await Promise.all(Array.from({ length: 50 }, () => enter(token)));
    const actions = await actionsOf(own.accountId);
    expect(actions.filter((action) => action === 'session.sign_in')).toHaveLength(1);
    expect(actions.filter((action) => action === 'session.sign_in_failed')).toHaveLength(49);
  });
});

describe('other actors', () => {
  test('include unlocked scanner links', async () => {
    const own = await freshAccount();
    const link = await createScanner(own, { name: 'Yesterday' }, { validTo: '2020-01-01 12:00' });
    const unlock = (pin: string) =>
      send('POST', `${link.path}/unlock` as '/', { pin }, { Origin: inject('worker').origin });
    expect((await unlock('000-wrong')).status).toBe(403);
    expect((await unlock(link.pin)).status).toBe(200);
    const [failed, right] = (await auditEntries(own.accountId)).slice(-2);
    const isLink = { actor_type: 'scanner_link', email: 'Yesterday', target_id: failed!.actor_id, target: 'Yesterday' };
    expect(failed).toMatchObject({ ...isLink, action: 'app_configuration_link.unlock_failed' });
    expect(right).toMatchObject({ ...isLink, action: 'app_configuration_link.unlock' });
  });

  test('include the service itself, which publishes at the scheduled time', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate({ name: 'Later' });
    await own.patch(`/api/v2/pass-template/${template}`, { name: 'Now' });
    await own.post(`/api/v2/pass-template/${template}/publish`, { publicationDate: '2020-01-01 10:00' });
    await runScheduledEverywhere();
    const [scheduled, published] = (await auditEntries(own.accountId)).slice(-2);
    expect(scheduled).toMatchObject({ action: 'template.schedule_publication', actor_type: 'api_key' });
    expect(published).toMatchObject({
      ...{ action: 'template.publish', actor_type: 'system', actor_id: null, email: 'system', ip: null },
      ...{ target_id: template, target: 'Now' },
    });
  });

  test('include operators, whose commands add entries to the accounts they affect', async () => {
    const own = await freshAccount();
    const { accountId: id } = own;
    const { apiKeyId } = await admin<{ apiKeyId: string }>('api-key create', { account: id, name: 'k' });
    await admin('api-key deactivate', { id: apiKeyId });
    await admin('api-key delete', { id: apiKeyId });
    await admin('account update', { id, 'passes-max': '10' });
    await admin('account suspend', { id });
    await admin('account resume', { id });
    await admin('signing-key rotate', { account: id });
    await admin('user invite', { account: id, email: `op-${id}@example.com` });
    expect(await actionsOf(id)).toEqual([
      ...['account.create', 'api_key.create', 'api_key.deactivate', 'api_key.delete', 'account.set_quotas'],
      ...['account.suspend', 'account.resume', 'signing_key.rotate', 'member.invite'],
    ]);
    const actors = (await auditEntries(id)).map(({ actor_type: type, actor_id: actor, email }) => [type, actor, email]);
    expect(new Set(actors.map(String))).toEqual(new Set([String(['operator', null, 'operator'])]));
  });
});

describe('the page', () => {
  test('shows who did what to what, when, from where and what changed, and can be filtered', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    await owner.post(consolePath(own, 'settings'), { name: 'New name', timezone: 'UTC', language: 'en' });
    await own.post('/api/v3/project', { name: 'Season' });
    const log = consolePath(own, 'audit-log');
    const rowsOf = async (query = '') =>
      (String((await owner.get(`${log}${query}`)).body).match(/<tr><th scope="row">.*?<\/tr>/gs) ?? []).map((row) =>
        row
          // Where the code of an action may break.
          .replaceAll(/(?<=[._])<wbr\/>/g, '')
          .replaceAll(/<[^>]+>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      );
    const [created, changed] = await rowsOf();
    expect(created).toMatch(/^Project created project\.create .* Default API key Season .* 127\.0\.0\.1$/);
    expect(changed).toMatch(/^Account changed account\.change .*@example\.com Member New name .*name: Test → New name/);
    expect(await rowsOf('?action=project.create')).toEqual([created]);
    const [user] = await d1<{ id: string }>('select id from users where email = ?', [owner.email]);
    expect((await rowsOf(`?actor=${user!.id}`)).map((row) => row.split(' ')[0])).toEqual(['Account', 'Signed']);
    expect(await rowsOf('?since=2099-01-01T10:00')).toEqual([]);
    expect(await rowsOf('?until=2020-01-01T10:00&action=account.create')).toEqual([]);
    expect((await owner.get(log)).body).toContain('<code>project.<wbr/>create<wbr/></code>');
    const wrong = await owner.get(`${log}?since=yesterday`);
    expect([wrong.status, wrong.body.includes('From (UTC): must be a date and time such as')]).toEqual([400, true]);
  });

  test('is exported to owners with its filters, to the last entry, and the export adds an entry', async () => {
    const own = await freshAccount();
    const [owner, member] = [await visitor(own, ['owner']), await visitor(own, ['passes.edit', 'personal_data'])];
    await own.post('/api/v3/project', { name: '=Season' });
    const [entry] = (await auditEntries(own.accountId)).slice(-1);
    const rows = 1_100;
    const id = "substr(id, 1, 24) || printf('%08d', numbers.value) || substr(id, -4)";
    await copyRow(d1, { table: 'audit_entries', where: 'id = ?', params: [entry!.id], rows, own: { id } });
    const log = consolePath(own, 'audit-log');
    expect((await member.get(`${log}/export.csv`)).status).toBe(403);
    expect((await owner.get(`${log}/export.csv?since=yesterday`)).status).toBe(400);
    const { headers, body } = await owner.get(`${log}/export.csv?action=project.create`);
    expect(headers.get('Content-Disposition')).toMatch(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/);
    const lines = String(body).trim().split('\r\n');
    expect(lines[0]).toContain('When,When (UTC),Action,');
    expect(lines).toHaveLength(1 + rows + 1);
    expect(lines[1]).toMatch(
      /,Project created,project\.create,Default,API key,[^,]+,'=Season,project,[^,]+,.*127\.0\.0\.1,/,
    );
    expect(await actionsOf(own.accountId)).toContain('audit_log.export');
  });
});
