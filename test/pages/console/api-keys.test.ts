import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

let account: Client;
let manager: Visitor;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Asia/Tokyo' });
  manager = await visitor(account, ['api_keys.manage']);
});

const keysPath = () => consolePath(account, 'api-keys');

async function create(fields: Record<string, string>): Promise<string> {
  const reply = await manager.post(keysPath(), { scopes: 'templates:read', ...fields });
  expect(reply.status).toBe(200);
  return /pk_[A-Za-z0-9]{16}_[\w-]{43}/.exec(reply.body)![0];
}

async function row(name: string): Promise<string> {
  const { body } = await manager.get(keysPath());
  const rows = String(body).match(/<tr>.*?<\/tr>/gs) ?? [];
  return rows.find((one) => one.includes(`<th scope="row">${name}</th>`)) ?? '';
}

/** Uses a client's key until the page shows it: recording a use can get lost, and the next use is recorded then. */
async function usedUntilNoted(client: Client, page: () => Promise<string>): Promise<void> {
  await expect
    .poll(async () => {
      expect((await client.get('/api/pass-template')).status).toBe(200);
      return page();
    })
    .toMatch(/Last used"><time datetime="/);
}

const idIn = (text: string) => /api-keys\/([0-9a-f-]{36})\//.exec(text)![1]!;

describe('the page of API keys', () => {
  test('creates a key whose value it shows once, and which works until it is deactivated', async () => {
    const apiKey = await create({ name: 'Shop <1>' });
    const shop = clientOf(account.accountId, apiKey);
    expect(await row('Shop &lt;1&gt;')).toMatch(/>Active<.*>Never</s);
    expect((await manager.get(keysPath())).body).not.toContain(apiKey);
    await usedUntilNoted(shop, () => row('Shop &lt;1&gt;'));

    const id = idIn(await row('Shop &lt;1&gt;'));
    const deactivated = await manager.post(`${keysPath()}/${id}/deactivate`, { name: 'Shop' });
    expect([deactivated.status, deactivated.headers.get('Location')]).toEqual([303, keysPath()]);
    expect((await shop.get('/api/pass-template')).status).toBe(401);
    expect(await row('Shop &lt;1&gt;')).toContain('>Inactive<');
    await manager.post(`${keysPath()}/${id}/activate`);
    expect((await shop.get('/api/pass-template')).status).toBe(200);
    await manager.post(`${keysPath()}/${id}/delete`);
    expect((await shop.get('/api/pass-template')).status).toBe(401);
    expect(await row('Shop &lt;1&gt;')).toBe('');
  });

  test.each([
    ['api_keys.manage', ['templates:read'], ['*', 'webhooks:manage', 'passes:read', 'passes:write', 'scans:read']],
    ['personal_data', ['passes:read', 'scans:read'], ['passes:write', 'scans:write', 'messages:send']],
    ['passes.edit', ['templates:read'], ['*', 'templates:write', 'customers:manage', 'passes:write', 'messages:send']],
    ['scan', ['templates:read'], ['*', 'scans:read', 'scans:write']],
    ['scan personal_data', ['passes:read', 'scans:write'], ['*', 'passes:write', 'messages:send']],
    ['passes.edit personal_data', ['passes:write', 'messages:send'], ['*', 'templates:write']],
  ])(
    'offers a member with %s the scopes of their privileges, and grants no others to a key',
    async (privilege, own, others) => {
      const member = await visitor(account, ['api_keys.manage', ...privilege.split(' ')]);
      const { body } = await member.get(`${keysPath()}/new`);
      for (const scope of own) {
        expect(body).toContain(`value="${scope}"`);
        expect((await member.post(keysPath(), { name: `Mine ${scope}`, scopes: scope })).status).toBe(200);
      }
      for (const scope of others) {
        expect(body).not.toContain(`value="${scope}"`);
        const refused = await member.post(keysPath(), { name: `Beyond ${scope}`, scopes: scope });
        expect([refused.status, refused.body]).toEqual([
          400,
          expect.stringContaining('you don’t have these scopes yourself'),
        ]);
        expect(await row(`Beyond ${scope}`)).toBe('');
      }
      expect(await row(`Mine ${own[0]}`)).toContain(`data-label="Scopes">${own[0]}</td>`);
    },
  );

  test('lets a member deactivate a key with more permissions, and only members who have them activate it', async () => {
    const owner = await visitor(account, ['owner']);
    expect((await owner.post(keysPath(), { name: 'Strong', scopes: '*' })).status).toBe(200);
    expect(await row('Strong')).toMatch(/Scopes">All<.* by [^<]+@/s);
    const id = idIn(await row('Strong'));
    expect((await manager.post(`${keysPath()}/${id}/deactivate`)).status).toBe(303);
    expect((await manager.post(`${keysPath()}/${id}/activate`)).status).toBe(403);
    expect(await row('Strong')).toContain('>Inactive<');
    expect((await owner.post(`${keysPath()}/${id}/activate`)).status).toBe(303);
    expect(await row('Strong')).toContain('>Active<');
  });

  test('has a button that copies the value', async () => {
    const reply = await manager.post(keysPath(), { name: 'Copied', scopes: 'templates:read' });
    expect(reply.body).toMatch(/class="code-block".*pk_/s);
    expect(reply.body).toMatch(/<script[^>]+copy-code/);
  });

  test('requires a scope', async () => {
    const reply = await manager.post(keysPath(), { name: 'None' });
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.stringContaining('Scopes: select “Full access”, or at least one other scope'),
    ]);
  });

  test('lets a key expire at the end of a day in the account’s time zone', async () => {
    const apiKey = await create({ name: 'Fair', lastDay: '2999-12-31' });
    expect(await row('Fair')).toContain('datetime="2999-12-31T15:00:00.000Z">at the end of 31 Dec 2999<');
    expect((await clientOf(account.accountId, apiKey).get('/api/pass-template')).status).toBe(200);
    await d1('update api_keys set expires_at = ? where id = ?', [Date.now() - 1, idIn(await row('Fair'))]);
    expect((await clientOf(account.accountId, apiKey).get('/api/pass-template')).status).toBe(401);
    expect(await row('Fair')).toMatch(/>Inactive<.*expired/s);
  });

  test('shows the time of a key that expires during a day', async () => {
    await create({ name: 'Noon', lastDay: '2999-12-31' });
    const noon = Date.parse('2999-12-31T03:00:00Z');
    await d1('update api_keys set expires_at = ? where id = ?', [noon, idIn(await row('Noon'))]);
    expect(await row('Noon')).toContain('>31 Dec 2999, 12:00<');
  });

  test.each([
    [{ name: '' }, 'Name: must not be empty'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'Kept', lastDay: '2020-01-01' }, 'Expiration date: must not be in the past'],
    [{ name: 'Kept', lastDay: '2026-02-30' }, 'Expiration date: must look like 2026-12-24'],
  ])('rejects %o, keeps the input and creates no key', async (fields, message) => {
    const reply = await manager.post(keysPath(), { scopes: 'templates:read', ...fields });
    expect(reply.status).toBe(400);
    expect(reply.body).toContain(message);
    expect(reply.body).toContain(`value="${fields.name}"`);
    expect(reply.body).not.toContain('pk_');
  });

  test('restricts a key to templates and addresses, and describes that in a sentence', async () => {
    const own = await freshAccount({ timezone: 'Asia/Tokyo' });
    const owner = await visitor(own, ['owner']);
    const path = consolePath(own, 'api-keys');
    const [gold, silver] = [await own.createTemplate({ name: 'Gold' }), await own.createTemplate({ name: 'Silver' })];
    const sent = {
      name: 'Gate',
      scopes: 'scans:write',
      templateIds: gold,
      allowedIps: '203.0.113.0/24\r\n2001:db8::1\r\n',
      lastDay: '2999-12-31',
    };
    const created = await owner.post(path, sent);
    const said = String(created.body).replaceAll(/<[^>]+>/g, '');
    expect(said).toContain('Gate can record scans, only for Gold, only from 203.0.113.0/24 and 2001:db8::1, until');
    const [stored] = await d1(
      'select id, template_ids, allowed_ips, expires_at from api_keys where name = ?1 and account_id = ?2',
      ['Gate', own.accountId],
    );
    const before = { template_ids: JSON.stringify([gold]), allowed_ips: '["203.0.113.0/24","2001:db8::1"]' };
    expect(stored).toMatchObject(before);

    const edit = `${path}/${stored!.id}`;
    const { body } = await owner.get(edit);
    expect(body).toMatch(/name="lastDay" [^>]*value="2999-12-31"/);
    expect(body).toMatch(new RegExp(`value="${gold}"[^>]* checked`));
    expect(body).not.toMatch(new RegExp(`value="${silver}"[^>]* checked`));
    expect(body).toContain('203.0.113.0/24\n2001:db8::1</textarea>');
    const again = { ...sent, templateIds: silver, allowedIps: '' };
    expect((await owner.post(edit, again)).headers.get('Location')).toBe(path);
    const rows = await d1('select template_ids, allowed_ips, expires_at from api_keys where id = ?', [
      String(stored!.id),
    ]);
    expect(rows).toEqual([
      { template_ids: JSON.stringify([silver]), allowed_ips: null, expires_at: stored!.expires_at },
    ]);

    // A key of a deleted template stays restricted when its form is saved.
    await own.delete(`/api/pass-template/${silver}`);
    expect((await owner.get(edit)).body).toContain(`Deleted template ${silver}`);
    expect((await owner.post(edit, { ...again, name: 'Renamed' })).status).toBe(303);
    expect(await d1('select name, template_ids from api_keys where id = ?', [String(stored!.id)])).toEqual([
      { name: 'Renamed', template_ids: JSON.stringify([silver]) },
    ]);
    const refused = await owner.post(edit, { ...again, allowedIps: 'localhost' });
    expect([refused.status, refused.body]).toEqual([
      400,
      expect.stringContaining('Allowed IP addresses: must be an IPv4 or IPv6'),
    ]);
  });

  test('rotates a key, whose old value still works for the chosen time', async () => {
    const old = clientOf(account.accountId, await create({ name: 'Turn' }));
    const id = idIn(await row('Turn'));
    expect((await manager.get(`${keysPath()}/${id}/rotate`)).body).toContain('Works for one more day');
    const shown = await manager.post(`${keysPath()}/${id}/rotate`, { overlapMinutes: '60' });
    const value = /pk_[A-Za-z0-9]{16}_[\w-]{43}/.exec(shown.body)![0];
    expect(shown.body).toContain('The old value works until');
    for (const client of [old, clientOf(account.accountId, value)]) {
      expect((await client.get('/api/pass-template')).status).toBe(200);
    }
    expect((await manager.get(`${keysPath()}/${id}`)).body).toContain('The value before the last rotation works until');
    expect((await manager.get(`${keysPath()}/${id}`)).body).not.toContain(value);
  });

  test('lets only members with a key’s permissions edit and rotate it', async () => {
    const owner = await visitor(account, ['owner']);
    await owner.post(keysPath(), { name: 'Beyond', scopes: '*' });
    const id = idIn(await row('Beyond'));
    const refused = await Promise.all([
      manager.get(`${keysPath()}/${id}`),
      manager.get(`${keysPath()}/${id}/rotate`),
      manager.post(`${keysPath()}/${id}`, { name: 'Mine', scopes: '*' }),
      manager.post(`${keysPath()}/${id}/rotate`, { overlapMinutes: '0' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  test('deletes all keys that were never used, after listing them', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const path = consolePath(own, 'api-keys');
    for (const name of ['Spare one', 'Spare two']) await owner.post(path, { name, scopes: '*' });
    const warned = await owner.get(`${path}/delete-unused`);
    expect(warned.body).toContain('You can’t undo this');
    expect(warned.body).toContain('<li>Spare one</li>');
    await usedUntilNoted(own, async () => String((await owner.get(path)).body));
    await owner.post(`${path}/delete-unused`);
    const { body } = await owner.get(path);
    expect(body).not.toContain('Spare');
    expect((await own.get('/api/pass-template')).status).toBe(200);
  });

  test('does not exist for members without the privilege', async () => {
    const reader = await visitor(account, ['read', 'templates.edit', 'passes.edit', 'scan']);
    expect((await reader.get(consolePath(account))).body).not.toContain('API keys');
    await create({ name: 'Target' });
    const before = await row('Target');
    const id = idIn(before);
    const refused = await Promise.all([
      reader.get(keysPath()),
      reader.get(`${keysPath()}/new`),
      reader.post(keysPath(), { name: 'Mine' }),
      reader.post(`${keysPath()}/${id}/deactivate`),
      reader.post(`${keysPath()}/${id}/delete`),
      reader.post(`${keysPath()}/delete-unused`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await row('Target')).toBe(before);
    expect(await row('Mine')).toBe('');
  });

  test('finds no key of another account', async () => {
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    await create({ name: 'Ours' });
    const id = idIn(await row('Ours'));
    for (const verb of ['activate', 'deactivate', 'delete']) {
      expect((await other.post(`${consolePath(stranger, 'api-keys')}/${id}/${verb}`)).status).toBe(404);
      expect((await other.post(`${keysPath()}/${id}/${verb}`)).status).toBe(404);
    }
    expect(await row('Ours')).toContain('>Active<');
  });
});

describe('the audit log', () => {
  test('shows owners who did what, without rejected actions', async () => {
    const own = await freshAccount();
    const [owner, keeper] = [await visitor(own, ['owner']), await visitor(own, ['api_keys.manage'])];
    await keeper.post(consolePath(own, 'api-keys'), { name: 'Till', scopes: 'templates:read' });
    await keeper.post(consolePath(own, 'api-keys'), { name: '', scopes: 'templates:read' });
    await keeper.post(`${consolePath(own, 'api-keys')}/${own.accountId}/delete`, { name: 'Ghost' });
    const { body } = await owner.get(consolePath(own, 'audit-log'));
    const rows = (String(body).match(/<tr><th scope="row">.*?<\/tr>/gs) ?? []).map((one) =>
      one
        .replaceAll(/(?<=[._])<wbr\/>/g, '')
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' '),
    );
    const told = rows.filter((one) => one.includes('api_key.'));
    expect(told).toEqual([
      expect.stringMatching(`api_key.create .*${keeper.email} Member Till .*templates:read.* 127.0.0.1`),
    ]);
    expect(rows.filter((one) => one.includes('session.sign_in'))).toHaveLength(2);
    expect((await keeper.get(consolePath(own, 'audit-log'))).status).toBe(403);
  });

  test('has pages', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    await d1('delete from audit_entries where account_id = ?', [own.accountId]);
    const actions = Array.from({ length: 51 }, (_, i) => `('${own.accountId.slice(0, -4)}${String(1000 + i)}')`);
    await d1(
      `insert into audit_entries (id, account_id, email, action, target, outcome, created_at)
       select column1, ?, 'a@example.com', 'api_key.create', 'no. ' || column1, 'done', 0 from (values ${actions})`,
      [own.accountId],
      own,
    );
    const first = await owner.get(consolePath(own, 'audit-log'));
    expect(first.body).not.toContain(`no. ${own.accountId.slice(0, -4)}1000`);
    const next = /href="([^"]*\?before=[^"]+)"/.exec(first.body)![1]!;
    const second = await owner.get(next);
    expect(String(second.body).match(/<tr><th scope="row">/g)).toHaveLength(1);
    expect(second.body).toContain(`no. ${own.accountId.slice(0, -4)}1000`);
  });
});

describe('members', () => {
  test('are invited with a link, changed and removed by owners', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const path = consolePath(own, 'members');
    const email = `guest-${own.accountId}@example.com`;
    const invited = await owner.post(path, [
      ['email', email],
      ['privileges', 'read'],
      ['privileges', 'scan'],
    ]);
    expect(invited.status).toBe(303);
    expect((await owner.get(invited.headers.get('Location')!)).body).toContain(
      `on its way to <strong>${email}</strong>`,
    );
    const [mail] = await d1<{ text: string }>('select text from outbox_items where recipient = ?', [email]);
    expect(mail?.text).toContain('/console/sign-in?token=');
    const [user] = await d1<{ id: string }>('select id from users where email = ?', [email]);
    const list = async () => (await owner.get(path)).body as string;
    expect(await list()).toMatch(new RegExp(`${email}</th>.*?>read<.*?>scan<`, 's'));
    await owner.post(`${path}/${user!.id}`, [['privileges', 'passes.edit']]);
    expect(await list()).toMatch(new RegExp(`${email}</th>.*?>passes.edit<`, 's'));
    expect((await owner.get(`${path}/${user!.id}/remove`)).body).toContain('loses access');
    await owner.post(`${path}/${user!.id}/remove`);
    expect(await list()).not.toContain(email);
  });

  test('keep an owner', async () => {
    const own = await freshAccount();
    const owner = await visitor(own, ['owner']);
    const [user] = await d1<{ id: string }>('select id from users where email = ?', [owner.email]);
    const path = `${consolePath(own, 'members')}/${user!.id}`;
    for (const reply of [await owner.post(path, { privileges: 'read' }), await owner.post(`${path}/remove`)]) {
      expect([reply.status, reply.body.includes('An account needs an owner')]).toEqual([400, true]);
    }
    expect((await owner.get(consolePath(own, 'members'))).status).toBe(200);
  });

  test('are shown only to the account’s owners', async () => {
    const own = await freshAccount();
    const reader = await visitor(own, ['api_keys.manage']);
    expect((await reader.get(consolePath(own, 'members'))).status).toBe(403);
    const stranger = await visitor(await freshAccount(), ['owner']);
    expect((await stranger.get(consolePath(own, 'members'))).status).toBe(404);
  });
});
