import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';

let client: Client;
const QUERY = { groups: [[{ field: 'voided', operator: 'isFalse' }]] };

beforeAll(async () => {
  client = await freshAccount();
});

describe('segments', () => {
  test('are created, listed as they were sent, used and deleted', async () => {
    const created = await client.post('/api/v3/segment', { title: 'Valid', query: QUERY });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ success: true, statusCode: 201, count: 1 });
    const { identifier } = created.body.data;
    expect((await client.get('/api/v3/segment')).body.data).toEqual([{ identifier, title: 'Valid', query: QUERY }]);
    await client.createPass(await client.createTemplate());
    const used = await client.get(`/api/v3/pass?segmentId=${identifier}`);
    expect(used.body.responseMetaData.resultsTotal).toBe(1);
    expect((await client.delete(`/api/v3/segment/${identifier}`)).body).toMatchObject({ statusCode: 200, data: [] });
    expect((await client.get('/api/v3/segment')).body.data).toEqual([]);
    expect((await client.delete(`/api/v3/segment/${identifier}`)).status).toBe(404);
    expect((await client.get(`/api/v3/pass?segmentId=${identifier}`)).status).toBe(404);
  });

  test.each<[string, object, number]>([
    ['no title', { query: QUERY }, 400],
    ['an empty title', { title: ' ', query: QUERY }, 400],
    ['no query', { title: 'x' }, 400],
    ['an unknown field', { title: 'x', query: { groups: [[{ field: 'nothing', operator: 'empty' }]] } }, 400],
    ['an unknown template', { title: 'x', query: { templateId: crypto.randomUUID() } }, 404],
  ])('are rejected with %s', async (_, body, status) => {
    expect((await client.post('/api/v3/segment', body)).status).toBe(status);
  });

  test('are limited in number and size, because a list returns all of them', async () => {
    const large = await freshAccount();
    const value = Array.from({ length: 90 }, () => 'x'.repeat(10_000));
    const query = { groups: [[{ field: 'userProvidedId', operator: 'equals', value }]] };
    const create = async (of: Client, sent: object) =>
      (await of.post('/api/v3/segment', { title: 'A', query: sent })).status;
    expect([await create(large, query), await create(large, query), await create(large, query)]).toEqual([
      201, 201, 400,
    ]);
    expect(await create(large, QUERY)).toBe(201);
    const refused = await large.post('/api/v3/segment', { title: 'A', query });
    expect(refused.body.errors).toEqual([
      'An account can have at most 1000 segments with 2000000 characters in all; delete some first',
    ]);
    const many = await freshAccount();
    await d1(
      `insert into segments (id, account_id, title, query, created_at) with recursive numbers as (select 1 as n union all
        select n + 1 from numbers where n < 999) select lower(hex(randomblob(4))) || '-0000-7000-8000-' ||
        lower(hex(randomblob(6))), ?, 'A', '{}', 0 from numbers`,
      [many.accountId],
    );
    const made = await Promise.all(Array.from({ length: 50 }, () => create(many, QUERY)));
    expect(made.toSorted()).toEqual([201, ...Array(49).fill(400)]);
    const { body } = await many.get('/api/v3/segment');
    expect(body.count).toBe(1_000);
    await many.delete(`/api/v3/segment/${body.data[999].identifier}`);
    expect(await create(many, QUERY)).toBe(201);
  });

  test('of another account are unknown', async () => {
    const created = await client.post('/api/v3/segment', { title: 'Mine', query: QUERY });
    const stranger = await freshAccount();
    expect((await stranger.get('/api/v3/segment')).body.data).toEqual([]);
    const path = `/api/v3/segment/${created.body.data.identifier}` as const;
    expect((await stranger.delete(path)).status).toBe(404);
    expect((await stranger.get(`/api/v3/pass?segmentId=${created.body.data.identifier}`)).status).toBe(404);
  });
});
