import { beforeAll, describe, expect, test } from 'vitest';
import { admin, type Client, clientOf, freshAccount } from '../../support/api.ts';
import { actionsOf, auditEntries } from '../../support/audit.ts';
import { costOf, d1 } from '../../support/control.ts';

const LOG = '/api/v3/audit-log';
interface Entry {
  id: string;
  at: string;
  actor: { type: string; id: string | null; name: string };
  action: string;
  target: { type: string; id: string | null; name: string | null };
  ip: string | null;
  requestId: string | null;
  changes: { field: string; old?: unknown; new?: unknown }[];
}

const list = async (client: Client, query = ''): Promise<Entry[]> =>
  (await client.get(`${LOG}${query}` as '/')).body.data;

/** Adds rows to the log as if written once a second, oldest first. */
async function fill(accountId: string, count: number, { actor = crypto.randomUUID(), action = 'project.create' } = {}) {
  await d1(
    `insert into audit_entries (id, account_id, actor_id, actor_type, email, action, target, outcome, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
     select printf('%012x', 1700000000000 + i * 1000) , ?1, ?3, 'user', 'a@example.com', ?4, 'no. ' || i, 'done', 1700000000000 + i * 1000 from n`,
    [accountId, count, actor, action],
  );
  await d1(
    `update audit_entries set id = substr(id, 1, 8) || '-' || substr(id, 9, 4) || '-7000-8000-' || lower(hex(randomblob(5))) || '00' where length(id) = 12 and account_id = ?`,
    [accountId],
  );
}

describe('GET /api/v3/audit-log', () => {
  test('shows who did what to what, from where, and what changed', async () => {
    const client = await freshAccount();
    const made = await client.post('/api/v3/project', { name: 'Season' });
    const [entry] = await list(client);
    const [key] = await d1<{ id: string }>('select id from api_keys where account_id = ?', [client.accountId]);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      actor: { type: 'api_key', id: key!.id, name: 'Default' },
      action: 'project.create',
      target: { type: 'project', id: made.body.data.identifier, name: 'Season' },
      ip: '127.0.0.1',
      requestId: made.headers.get('X-Request-Id'),
      changes: [],
    });
  });

  test('shows a key that is restricted to templates only the entries about these and their passes', async () => {
    const client = await freshAccount();
    const [own, other] = [await client.createTemplate(), await client.createTemplate()];
    const passes = [await client.createPass(own), await client.createPass(other)];
    await client.post('/api/v3/project', { name: 'Season' });
    const { body } = await client.post('/api/v3/api-key', {
      name: 'Reader',
      scopes: ['audit:read'],
      templateIds: [own],
    });
    await d1(
      `insert into audit_entries (id, account_id, actor_type, email, action, target_type, target_id, target, outcome, created_at)
       select ?3 || substr(value, 9), ?1, 'user', 'a@example.com', 'pass.view', 'pass', value, '', 'done', ?4 from json_each(?2)`,
      [client.accountId, JSON.stringify(passes.map(({ identifier }) => identifier)), own.slice(0, 8), Date.now()],
    );
    const seen = await list(clientOf(client.accountId, body.data.apiKey));
    expect(seen.map(({ action, target }) => [action, target.id]).sort()).toEqual([
      ['pass.view', passes[0]!.identifier],
      ['template.create', own],
    ]);
  });

  test('lists newest first in pages, and treats a foreign startUid like an unknown one', async () => {
    const [client, other] = [await freshAccount(), await freshAccount()];
    await fill(client.accountId, 25);
    await d1("delete from audit_entries where account_id = ? and action = 'account.create'", [client.accountId]);
    const all = await list(client);
    expect(all.map(({ target }) => target.name)).toEqual(Array.from({ length: 25 }, (_, i) => `no. ${25 - i}`));
    const pages: Entry[] = [];
    for (;;) {
      const last = pages.at(-1);
      const page = await list(client, `?pageSize=10${last ? `&startUid=${last.id}` : ''}`);
      if (page.length === 0) break;
      pages.push(...page);
    }
    expect(pages).toEqual(all);
    await fill(other.accountId, 25);
    const foreign = (await list(other, '?pageSize=100')).find(({ target }) => target.name === 'no. 13')!;
    const unknown = foreign.id.replace(/.{12}$/, '0123456789ab');
    const [after, afterUnknown] = [
      await list(client, `?startUid=${foreign.id}`),
      await list(client, `?startUid=${unknown}`),
    ];
    expect(after.slice(-12)).toEqual(afterUnknown.slice(-12));
    expect(after.slice(-12).map(({ target }) => target.name)).toEqual(
      Array.from({ length: 12 }, (_, i) => `no. ${12 - i}`),
    );
  });

  test('filters by time, action and actor', async () => {
    const client = await freshAccount();
    const actor = crypto.randomUUID();
    await fill(client.accountId, 10, { actor, action: 'segment.create' });
    await client.post('/api/v3/project', { name: 'A' });
    const at = (i: number) => encodeURIComponent(new Date(1700000000000 + i * 1000).toISOString());
    const names = async (query: string) => (await list(client, query)).map(({ target }) => target.name);
    expect(await names(`?since=${at(3)}&until=${at(5)}`)).toEqual(['no. 5', 'no. 4', 'no. 3']);
    expect(await names('?action=project.create')).toEqual(['A']);
    expect(await names(`?actorId=${actor}&pageSize=2`)).toEqual(['no. 10', 'no. 9']);
    expect(await names(`?actorId=${actor.toUpperCase()}&action=segment.create&until=${at(1)}`)).toEqual(['no. 1']);
    expect(await names(`?actorId=${actor}&action=project.create`)).toEqual([]);
    expect(await names('?since=2099-01-01')).toEqual([]);
  });

  test.for([
    ['pageSize=0', 'pageSize: must be an integer from 1 to 100'],
    ['pageSize=101', 'pageSize: must be an integer from 1 to 100'],
    ['startUid=x', 'startUid: must be a UUID'],
    ['actorId=x', 'actorId: must be a UUID'],
    ['since=yesterday', 'since: must be a date and time in ISO 8601'],
    ['until=2027-02-31T00:00:00Z', 'until: must be a date and time in ISO 8601'],
    ['action=publish', 'action: must look like template.publish'],
  ])('rejects %s by the name of the field', async ([query, message]) => {
    const client = await freshAccount();
    const { status, body } = await client.get(`${LOG}?${query}` as '/');
    expect([status, body.errors]).toEqual([400, [expect.stringContaining(message!)]]);
  });

  test('costs the same however long the log is, with each filter', async () => {
    const [short, long] = [await freshAccount(), await freshAccount()];
    const actor = crypto.randomUUID();
    await fill(long.accountId, 2_000);
    await fill(long.accountId, 3, { actor, action: 'segment.create' });
    await fill(short.accountId, 5);
    await fill(short.accountId, 3, { actor, action: 'segment.create' });
    const queries = ['', '&action=segment.create', `&actorId=${actor}`, `&actorId=${actor}&action=segment.create`];
    queries.push(
      `&since=${encodeURIComponent('2023-11-14T22:13:21Z')}&until=${encodeURIComponent('2023-11-14T22:13:22Z')}`,
    );
    for (const query of queries) {
      const costs = [];
      for (const client of [short, long]) {
        const reply = await client.get(`${LOG}?pageSize=2${query}` as '/');
        expect(reply.body.data).toHaveLength(2);
        costs.push(await costOf(reply));
      }
      expect([query, costs[1]]).toEqual([query, costs[0]]);
      expect(costs[1]).toMatchObject({ roundTrips: 1 });
      expect(costs[1]!.rowsRead).toBeLessThan(10);
    }
  });

  test('shows nothing of other accounts, and nothing to a key without audit:read', async () => {
    const [client, other] = [await freshAccount(), await freshAccount()];
    await client.post('/api/v3/project', { name: 'Ours' });
    expect(JSON.stringify(await list(other))).not.toContain('Ours');
    const [ours] = await auditEntries(client.accountId);
    expect(await list(other, `?actorId=${ours!.actor_id ?? crypto.randomUUID()}`)).toEqual([]);
    const { apiKey } = await admin<{ apiKey: string }>('api-key create', {
      account: client.accountId,
      name: 'k',
      scope: ['passes:write'],
    });
    const refused = await clientOf(client.accountId, apiKey).get(LOG);
    expect([refused.status, refused.body.errors]).toEqual([403, ['missing scope: audit:read']]);
  });
});

describe('entries', () => {
  let client: Client;
  beforeAll(async () => {
    client = await freshAccount();
  });

  test('are not added by rejected writes', async () => {
    const before = await actionsOf(client.accountId);
    const refusals = [
      client.post('/api/v3/project', { name: '' }),
      client.post('/api/v3/segment', { title: '', query: {} }),
      client.delete(`/api/v3/segment/${crypto.randomUUID()}`),
      client.delete(`/api/appconfiguration/${crypto.randomUUID()}`),
      client.delete(`/api/pass-template/${crypto.randomUUID()}`),
      client.post(`/api/v2/pass-template/${crypto.randomUUID()}/publish`, {}),
      client.post(`/api/hook/${crypto.randomUUID()}/secret/rotate`),
      client.delete(`/api/pass-template/notification/${crypto.randomUUID()}`),
      client.post('/api/hook/subscribe', { target_url: 'ftp://x', event: 'pass_created' }),
      client.post('/api/v3/webhook-payload/acknowledge', { upTo: crypto.randomUUID() }),
      client.patch('/api/v3/pass/bulk', { data: {}, filter: {} }),
    ];
    for (const { status } of await Promise.all(refusals)) expect(status).toBeGreaterThanOrEqual(400);
    expect(await actionsOf(client.accountId)).toEqual(before);
  });

  test('are 50 for 50 simultaneous writes, and one for 50 deletions of one object', async () => {
    const own = await freshAccount();
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, i) => own.post('/api/v3/segment', { title: `s${i}`, query: {} })),
    );
    expect((await actionsOf(own.accountId)).filter((action) => action === 'segment.create')).toHaveLength(50);
    const id = created[0]!.body.data.identifier;
    const deleted = await Promise.all(Array.from({ length: 50 }, () => own.delete(`/api/v3/segment/${id}`)));
    expect(deleted.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await actionsOf(own.accountId)).filter((action) => action === 'segment.delete')).toHaveLength(1);
  });

  test('are one for a repeated request with an Idempotency-Key', async () => {
    const own = await freshAccount();
    const again = () => own.post('/api/v3/project', { name: 'Once' }, { 'Idempotency-Key': 'once' });
    await again();
    expect((await again()).headers.get('Idempotent-Replayed')).toBe('true');
    expect((await actionsOf(own.accountId)).filter((action) => action === 'project.create')).toHaveLength(1);
  });

  test('of bulk operations are one per process, with only the names of fields', async () => {
    const own = await freshAccount();
    const templateId = await own.createTemplate();
    const passes = Array.from({ length: 5 }, (_, i) => ({
      userProvidedId: `p${i}`,
      emailRecipient: 'ada@example.com',
    }));
    const { body } = await own.post('/api/v3/pass/bulk/create', { templateId, passes });
    const { processId } = body.data;
    await own.patch('/api/v3/pass/bulk', {
      data: { emailRecipient: 'grace@example.com' },
      filter: { identifiers: ['p0', 'p1'] },
    });
    const entries = await list(own, '?pageSize=3');
    expect(entries.map(({ action }) => action)).toEqual(['passes.update', 'passes.create', 'template.create']);
    expect(entries[0]!.changes).toEqual([{ field: 'emailRecipient' }]);
    expect(entries[1]!.target).toEqual({ type: 'process', id: processId, name: null });
  });

  test('name the fields that changed, with values unless they are personal or secret', async () => {
    const own = await freshAccount();
    const templateId = await own.createTemplate({ name: 'Before' });
    await own.patch(`/api/v2/pass-template/${templateId}`, { name: 'After' });
    const [update] = await list(own);
    expect(update).toMatchObject({
      action: 'template.update',
      target: { type: 'template', id: templateId, name: 'After' },
      changes: [{ field: 'version', old: 1, new: 2 }, { field: 'name' }],
    });
    await admin('account update', {
      id: own.accountId,
      'reply-to': 'office@example.com',
      'user-provided-links': 'off',
    });
    const [changed] = await list(own);
    expect(changed).toMatchObject({
      action: 'account.change',
      actor: { type: 'operator', id: null, name: 'operator' },
      changes: expect.arrayContaining([{ field: 'replyTo' }, { field: 'userProvidedLinks', old: true, new: false }]),
    });
  });

  test('cost single passes nothing', async () => {
    const own = await freshAccount();
    const templateId = await own.createTemplate();
    const before = (await actionsOf(own.accountId)).length;
    const pass = await own.createPass(templateId, { userProvidedId: 'one' });
    await own.patch(`/api/v3/pass/${pass.identifier}`, { storedValue: 2 });
    await own.put(`/api/pass/${pass.identifier}`, { voided: true });
    await own.delete(`/api/v3/pass/${pass.identifier}`);
    expect(await actionsOf(own.accountId)).toHaveLength(before);
  });

  test('are in the log of the account that creates a sub-customer', async () => {
    const own = await freshAccount();
    const { body } = await own.post('/api/customer', { company_name: 'Sub', last_name: 'Lovelace' });
    expect((await list(own))[0]).toMatchObject({
      action: 'account.create',
      target: { type: 'account', id: body.customer_identifier, name: 'Sub' },
    });
    expect(JSON.stringify(await auditEntries(own.accountId))).not.toContain('Lovelace');
  });
});
