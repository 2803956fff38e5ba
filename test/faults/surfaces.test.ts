import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { openTokens } from '../../src/domain/passes/page/links.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ORIGIN, ServiceInProcess } from '../support/service-in-process.ts';

/*
 * People and phones don't repeat requests. If a request's first write fails with an error that D1 documents as
 * transient, before or after its commit, the service repeats it: nobody notices, and everything happens once.
 */

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
const PASS_TYPE_ID = 'pass.com.example.faults';
const OWNER = 'owner@example.com';

describe.each(['before', 'after'] as const)('a first write that fails %s its commit', (when) => {
  let service: ServiceInProcess;
  let cookie: { Cookie: string };
  let templateId: string;

  const count = (sql: string, params: unknown[] = []) => service.count(sql, params);
  const entriesOf = (action: string) => count('select count(*) from audit_entries where action = ?', [action]);
  const at = (...parts: string[]) => ['/console/accounts', service.accountId, ...parts].join('/');
  const newTemplate = async (fields: Parameters<typeof sampleTemplate>[0] = {}): Promise<string> =>
    (await service.request('POST', '/api/v2/pass-template', sampleTemplate(fields))).body.data.identifier;
  const newPass = async (fields: object = {}): Promise<string> =>
    (await service.request('POST', '/api/v3/pass', { data: { templateId, ...fields } })).body.data.identifier;

  /** Sends a form whose first write fails. Expects a redirect, or this status. */
  async function submit(path: string, fields: Record<string, string> = {}, status = 303) {
    const body = new URLSearchParams(fields).toString();
    const reply = await service.failingNextWrite(when, () => service.send('POST', path, body, { ...FORM, ...cookie }));
    expect([reply.status, path]).toEqual([status, path]);
    return reply;
  }

  async function signInLink(email: string): Promise<string> {
    const { url } = await service.admin<{ url: string }>('sign-in-link', { email });
    return new URL(url).searchParams.get('token')!;
  }

  beforeAll(async () => {
    service = await new ServiceInProcess().open();
    await service.importCertificate(PASS_TYPE_ID);
    await service.admin('user invite', { account: service.accountId, email: OWNER, privilege: ['owner'] });
    cookie = { Cookie: '' };
    templateId = await newTemplate();
    const { headers } = await submit('/console/sign-in', { token: await signInLink(OWNER) });
    cookie = { Cookie: headers.getSetCookie().at(-1)!.split(';')[0]! };
    return () => service.close();
  });

  test('signs somebody in once', async () => {
    const sessions = await count('select count(*) from sessions');
    await submit('/console/sign-in', { token: await signInLink(OWNER) });
    expect(await count('select count(*) from sessions')).toBe(sessions);
    // The previous session has ended, so its browser signs in again.
    expect(await entriesOf('session.sign_in')).toBe(2);
    const { headers } = await submit('/console/sign-in', { token: await signInLink(OWNER) });
    cookie = { Cookie: headers.getSetCookie().at(-1)!.split(';')[0]! };
  });

  test('records one failed sign-in', async () => {
    const token = await signInLink(OWNER);
    await service.rows('update sign_in_tokens set expires_at = 1');
    await submit('/console/sign-in', { token }, 401);
    expect(await entriesOf('session.sign_in_failed')).toBe(1);
  });

  test('creates an API key that works, switches it off and deletes it', async () => {
    const shown = await submit(at('api-keys'), { name: 'Shop', scopes: 'passes:read' }, 200);
    const [apiKey] = /pk_[\w-]+/.exec(shown.body)!;
    expect(await entriesOf('api_key.create')).toBe(1);
    const { status } = await service.send('GET', '/api/v3/pass/unknown', undefined, { Authorization: apiKey });
    expect(status).toBe(404);
    const [key] = await service.rows<{ id: string }>("select id from api_keys where name = 'Shop'");
    await submit(at('api-keys', key!.id, 'deactivate'));
    await submit(at('api-keys', key!.id, 'delete'));
    expect(await entriesOf('api_key.deactivate')).toBe(1);
    expect(await entriesOf('api_key.delete')).toBe(1);
  });

  test('invites, changes and removes a member', async () => {
    await submit(at('members'), { email: 'ada@example.com', privileges: 'read' });
    const [user] = await service.rows<{ id: string }>("select id from users where email = 'ada@example.com'");
    await submit(at('members', user!.id), { privileges: 'scan' });
    await submit(at('members', user!.id, 'remove'));
    const entries = ['member.invite', 'member.change', 'member.remove'].map((action) =>
      count('select count(*) from audit_entries where action = ? and target_id = ?', [action, user!.id]),
    );
    expect(await Promise.all(entries)).toEqual([1, 1, 1]);
  });

  test('saves settings and rotates the signing key', async () => {
    await submit(at('settings'), { name: 'Opera', timezone: 'UTC', language: 'en' });
    await submit(at('settings', 'signing-key', 'rotate'));
    expect(await entriesOf('account.change')).toBe(1);
    expect(await entriesOf('signing_key.rotate')).toBe(1);
    expect(await count('select count(*) from signing_keys')).toBe(1);
  });

  test('creates, changes, voids and deletes a pass', async () => {
    const { headers } = await submit(at('passes'), { template: templateId });
    const id = /[^/]+$/.exec(headers.get('Location')!)![0];
    await submit(at('passes', id, 'edit'), { 'field-storedValue': '5', before: '{}' });
    await submit(at('passes', id, 'void'));
    await submit(at('passes', id, 'unvoid'));
    await submit(at('passes', id, 'join'), { bundleId: 'family' });
    await submit(at('passes', id, 'leave'));
    await submit(at('passes', id, 'rotate-links'));
    await submit(at('passes', id, 'delete'));
    for (const type of ['pass_created', 'pass_voided', 'pass_unvoided', 'pass_deleted']) {
      expect(await count('select count(*) from account_events where type = ? and pass_id = ?', [type, id]), type).toBe(
        1,
      );
    }
  });

  test('shows a pass with one audit entry for the view', async () => {
    const id = await newPass();
    const { status } = await service.failingNextWrite(when, () =>
      service.send('GET', at('passes', id), undefined, cookie),
    );
    expect(status).toBe(200);
    expect(await count("select count(*) from audit_entries where action = 'pass.view' and target_id = ?", [id])).toBe(
      1,
    );
  });

  test('creates a template, publishes a text to its passes, and creates a webhook', async () => {
    await submit(at('templates'), { name: 'Opera', type: 'generic' });
    expect(await count("select count(*) from templates where name = 'Opera'")).toBe(1);
    await submit(at('webhooks'), { event: 'pass_created', mode: 'pull' }, 200);
    const [webhook] = await service.rows<{ id: string }>('select id from webhook_subscriptions');
    await submit(at('webhooks', webhook!.id, 'delete'));
    expect(await entriesOf('webhook.create')).toBe(1);
    expect(await entriesOf('webhook.delete')).toBe(1);
  });

  test('resends a failed message once', async () => {
    const adHoc = { subject: 'Your pass', emailTemplate: 'Here it is' };
    const template = await newTemplate({ sendoutOptions: { adHoc } });
    const id = await newPass({ templateId: template });
    await service.request('POST', `/api/pass/deliver/${id}/email/ada@example.com`);
    const [message] = await service.rows<{ id: string }>("update messages set status = 'failed' returning id");
    await submit(at('messages', message!.id, 'again'));
    expect(await entriesOf('message.send_again')).toBe(1);
  });

  test('discards a failed job', async () => {
    await service.rows(
      `insert into dead_letters (id, account_id, type, body, failed_at)
       values ('01a2080b-e65c-7000-869f-b34746850000', ?, 'push-to-device', '{}', 1)`,
      [service.accountId],
    );
    await submit(at('failed-jobs', '01a2080b-e65c-7000-869f-b34746850000', 'discard'));
    expect(await count('select count(*) from dead_letters')).toBe(0);
    expect(await entriesOf('failed_job.discard')).toBe(1);
  });

  test('accepts a scan once, and undoes it once', async () => {
    const id = await newPass({ barcodeValue: `ticket ${when}` });
    const made = await service.request('POST', '/api/appconfiguration', { name: 'Door', scanMode: 0 });
    const { configurationId } = made.body.configuration[0];
    await submit(at('app-configurations', configurationId, 'links'), { validTo: '', canChangeConfig: 'on' });
    expect(await entriesOf('app_configuration_link.create')).toBe(1);
    const link = await service.request('POST', `/api/appconfiguration/${configurationId}/link`, {});
    const { pathname } = new URL(link.body.branchLink);
    const scanId = randomUUID();
    const scan = { id: scanId, configurationId, value: `ticket ${when}`, scannedAt: Date.now() };
    const sent = { ...scan, deviceName: null, properties: {}, storedValue: null };
    const post = (path: string, body: object) =>
      service.failingNextWrite(when, () =>
        service.send('POST', `${pathname}${path}`, JSON.stringify(body), {
          'Content-Type': 'application/json',
          Origin: ORIGIN,
        }),
      );
    const scanned = await post('/scans', sent);
    expect(scanned.status).toBe(201);
    expect(await count('select count(*) from app_scans where pass_id = ?', [id])).toBe(1);
    const [row] = await service.rows<{ id: string }>('select id from app_scans where pass_id = ?', [id]);
    expect((await post(`/scans/${row!.id}/undo`, {})).status).toBe(200);
    expect(await count('select count(*) from app_scans where undone_at is not null and pass_id = ?', [id])).toBe(1);
  });

  test('registers a device once, as a new one, and ends that once', async () => {
    const id = await newPass();
    const headers = { Authorization: `ApplePass ${await authenticationOf(id)}`, 'Content-Type': 'application/json' };
    const path = `/wallet/apple/v1/devices/${randomUUID()}/registrations/${PASS_TYPE_ID}/${id}`;
    const registered = await service.failingNextWrite(when, () =>
      service.send('POST', path, JSON.stringify({ pushToken: 'abcdef0123456789' }), headers),
    );
    expect(registered.status).toBe(201);
    const ended = await service.failingNextWrite(when, () => service.send('DELETE', path, undefined, headers));
    expect(ended.status).toBe(200);
    for (const type of ['pushnotification_registered', 'pushnotification_unregistered']) {
      expect(await count('select count(*) from account_events where type = ? and pass_id = ?', [type, id]), type).toBe(
        1,
      );
    }
  });

  test('counts each of the five wrong PINs that lock a pass’s page once', async () => {
    const guarded = await newTemplate({ downloadPinEnabled: true });
    const made = await service.request('POST', '/api/v3/pass', {
      data: { templateId: guarded, downloadPin: '2468' },
    });
    const { identifier, downloadPage } = made.body.data;
    const counted: [number, number][] = [];
    for (let i = 0; i < 5; i++) {
      const { status } = await submit(new URL(downloadPage).pathname, { pin: '1357' }, i < 4 ? 403 : 429);
      counted.push([status, await count('select pin_failures from passes where id = ?', [identifier])]);
    }
    expect(counted).toEqual([403, 403, 403, 403, 429].map((status, i) => [status, i + 1]));
  });

  test('counts each of the five wrong PINs that lock a scanner link once', async () => {
    const made = await service.request('POST', '/api/appconfiguration', { name: 'Gate', scanMode: 0 });
    const { configurationId } = made.body.configuration[0];
    const link = await service.request('POST', `/api/appconfiguration/${configurationId}/link`, {});
    const { pathname } = new URL(link.body.branchLink);
    await service.rows('update app_configuration_links set valid_to_at = 1 where configuration_id = ?', [
      configurationId,
    ]);
    const headers = { 'Content-Type': 'application/json', Origin: ORIGIN };
    const unlock = (pin: string) =>
      service.failingNextWrite(when, () =>
        service.send('POST', `${pathname}/unlock`, JSON.stringify({ pin }), headers),
      );
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await unlock('wrong')).status);
    expect(statuses).toEqual([403, 403, 403, 403, 429]);
    expect(await entriesOf('app_configuration_link.unlock_failed')).toBe(5);
  });

  test('a push through the API to one pass is sent, and not rejected as unchanged', async () => {
    const id = await newPass();
    await service.rows('update passes set number_of_active = 1 where id = ?', [id]);
    const push = () =>
      service.request('POST', `/api/pass/${id}/sendpushnotification`, { pushNotificationText: 'Hello' });
    expect((await service.failingNextWrite(when, push)).status).toBe(204);
    expect((await push()).status).toBe(304);
  });

  /** Returns a device's proof that it has the pass. */
  async function authenticationOf(id: string): Promise<string> {
    const [row] = await service.rows<{ id: string; secrets: string }>('select id, secrets from passes where id = ?', [
      id,
    ]);
    return openTokens(service.env, row as Parameters<typeof openTokens>[1]).authentication;
  }
});
