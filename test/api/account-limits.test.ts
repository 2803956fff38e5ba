import { expect, test } from 'vitest';
import { admin, type Client, freshAccount } from '../support/api.ts';
import { d1, d1Everywhere } from '../support/control.ts';
import { sampleTemplate } from '../support/samples.ts';

/* Lists and pages of the console show all of these. */

const numbers = (count: number) =>
  `with recursive numbers as (select 1 as n union all select n + 1 from numbers where n < ${count})`;

/** Sends 50 requests at the same time. Returns the number of the accepted ones, and the errors of the others. */
async function race(owner: Client, path: `/${string}`, body: (i: number) => object) {
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => owner.post(path, body(i))));
  const refused = replies.filter(({ status }) => status === 400);
  const errors = refused.map((reply) => reply.body.errors?.join() ?? reply.body.ErrorMessage);
  return { accepted: replies.filter(({ status }) => status === 201).length, errors: [...new Set(errors)] };
}

test('an account can have 1,000 API keys, also if many are created at once', async () => {
  const owner = await freshAccount();
  await d1(
    `insert into api_keys (id, account_id, name, lookup, secret_digest, active, created_at, scopes)
      ${numbers(996)} select lower(hex(randomblob(16))), account_id, name, hex(randomblob(8)), secret_digest, 1, 0, scopes
      from numbers, api_keys where account_id = ?`,
    [owner.accountId],
  );
  expect(await race(owner, '/api/v3/api-key', () => ({ name: 'Shop' }))).toEqual({
    accepted: 3,
    errors: ['An account can have at most 1000 API keys; delete some first'],
  });
});

test('an account can have 10,000 templates, also if many are created or copied at once', async () => {
  const owner = await freshAccount();
  const id = await owner.createTemplate();
  await d1(
    `insert into templates (id, account_id, name, version, published_version, published_at, pass_count, created_at, modified_at, unique_properties)
      ${numbers(9_996)} select lower(hex(randomblob(16))), account_id, name, 1, 1, 0, 0, 0, 0, '[]' from numbers, templates where id = ?`,
    [id],
  );
  const full = 'An account can have at most 10000 templates; delete some first';
  expect(await race(owner, '/api/v2/pass-template', () => sampleTemplate())).toEqual({ accepted: 3, errors: [full] });
  const copied = await owner.post(`/api/pass-template/copy/${id}`, { name: 'Copy' });
  expect([copied.status, copied.body.ErrorMessage]).toEqual([400, full]);
  const patched = await owner.patch(`/api/v2/pass-template/${id}`, { name: 'Card' });
  expect(patched.status).toBe(200);
});

test('a template can have 1,000 scheduled notifications, also if many are created at once', async () => {
  const owner = await freshAccount();
  const id = await owner.createTemplate();
  const path = `/api/pass-template/${id}/notification` as const;
  await d1(
    `insert into notifications (id, account_id, template_id, publication_at, text, state, due_at, created_at)
      ${numbers(997)} select lower(hex(randomblob(16))), ?, ?, 4e12, 'A', 'scheduled', 4e12, 0 from numbers`,
    [owner.accountId, id],
  );
  const push = { pushNotificationText: 'Doors open', publicationDate: '2099-05-14 18:00' };
  expect(await race(owner, path, () => push)).toEqual({
    accepted: 3,
    errors: ['A template can have at most 1000 scheduled notifications; delete some first'],
  });
  const other = await owner.createTemplate();
  expect((await owner.post(`/api/pass-template/${other}/notification`, push)).status).toBe(201);
  expect((await owner.post('/api/pass-template/unknown/notification', push)).status).toBe(404);
});

test('an account can have 1,000 members, also if many are invited at once', async () => {
  const owner = await freshAccount();
  const domain = `${owner.accountId}.example`;
  const invite = (name: string) =>
    admin('user invite', { account: owner.accountId, email: `${name}@${domain}`, privilege: ['owner'] });
  await invite('first');
  await d1(
    `insert into memberships (user_id, account_id, privileges, created_at)
      ${numbers(996)} select lower(hex(randomblob(16))), ?, '["read"]', 0 from numbers`,
    [owner.accountId],
  );
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, i) => invite(`member${i}`)));
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(reasons).toHaveLength(47);
  expect(reasons[0]).toContain('An account can have at most 1000 members; remove some first');
  await invite('first');
  const known = await d1Everywhere('select count(*) as n from users where email like ?', [`%@${domain}`]);
  expect(JSON.stringify(known)).toContain('{"n":4}');
});
