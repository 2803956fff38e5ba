import { expect, test } from 'vitest';
import { type Client, freshAccount } from '../support/api.ts';
import { d1, eventually } from '../support/control.ts';

/* Repeats of requests whose reply was not stored, although their work may be done. */

/** Simulates that the Worker of every request crashed before storing its reply, longer ago than a request can run. */
const abandonAll = ({ accountId }: Client) =>
  d1('update idempotency_keys set status = null, body = null, started_at = started_at - 400000 where account_id = ?', [
    accountId,
  ]);

/** Google save links are signed anew for each reply. */
const withoutTimes = (body: unknown) => JSON.parse(JSON.stringify(body).replaceAll(/eyJ[\w-]+\.[\w.-]+/g, 'JWT'));

async function twice(client: Client, path: `/${string}`, body: object) {
  const headers = { 'Idempotency-Key': path };
  const first = await client.post(path, body, headers);
  await abandonAll(client);
  const repeat = await client.post(path, body, headers);
  expect(first.status).toBeLessThan(300);
  expect([repeat.status, repeat.headers.get('Idempotent-Replayed')]).toEqual([first.status, null]);
  return [first, repeat].map(({ body }) => withoutTimes(body));
}

test.each<[`/${string}`, (templateId: string) => object]>([
  ['/api/v3/pass', (templateId: string) => ({ data: { templateId } })],
  ['/api/v3/pass?async=false', (templateId: string) => ({ data: { templateId } })],
  ['/api/v3/project', () => ({ name: 'Project' })],
  [
    '/api/hook/subscribe?generateAccessToken=true',
    () => ({ target_url: 'https://hooks.example.com/', event: 'pass_created' }),
  ],
])('POST %s gets the reply of the first request', async (path, body) => {
  const client = await freshAccount();
  const [first, repeat] = await twice(client, path, body(await client.createTemplate()));
  expect(repeat).toEqual(first);
});

test('a repeated bulk create returns the same process, and its passes exist once', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const create = { templateId, passes: [{ userProvidedId: 'one' }, {}] };
  const [first, repeat] = await twice(client, '/api/v3/pass/bulk/create', create);
  expect(repeat.data.processId).toBe(first.data.processId);
  const ended = await eventually(async () => {
    const { body } = await client.get(`/api/v3/process/${first.data.processId}`);
    return body.data?.status === 'finished' && body.data;
  });
  expect(ended).toMatchObject({ current: 2, total: 2 });
  const { body } = await client.get(`/api/pass/list/${templateId}`);
  expect(body.total).toBe(2);
  expect(await d1('select id from processes where account_id = ?', [client.accountId])).toHaveLength(1);
});

test('a request that failed on our side runs again under its key, with the identifier of its first claim', async () => {
  const client = await freshAccount();
  const trigger = `no_project_${client.accountId.replaceAll('-', '_')}`;
  await d1(
    `create trigger ${trigger} before insert on projects when new.account_id = '${client.accountId}' begin select json('no'); end`,
  );
  const send = () => client.post('/api/v3/project', { name: 'Project' }, { 'Idempotency-Key': 'failed' });
  await expect(send()).rejects.toThrow(/malformed JSON/);
  await d1(`drop trigger ${trigger}`);
  const [repeat, again] = [await send(), await send()];
  expect([repeat.status, again.headers.get('Idempotent-Replayed')]).toEqual([201, 'true']);
  expect(again.body).toEqual(repeat.body);
  const [claim] = await d1<{ since: number }>(
    'select first_started_at as since from idempotency_keys where account_id = ?',
    [client.accountId],
  );
  const [project] = await d1<{ id: string }>('select id from projects where account_id = ?', [client.accountId]);
  expect(Number.parseInt(project!.id.replaceAll('-', '').slice(0, 12), 16)).toBe(claim!.since);
});
