import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply } from '../../support/api.ts';
import { d1, runScheduled } from '../../support/control.ts';
import { pullRows } from '../../support/payloads.ts';

const PATH = '/api/v3/webhook-payload';
const ACKNOWLEDGE = `${PATH}/acknowledge` as const;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);
const iso = (millis: number) => new Date(millis).toISOString();

describe('fetching', () => {
  let client: Client;
  let ids: string[];
  let webhookId: string;
  beforeAll(async () => {
    client = await freshAccount({ timezone: 'Europe/Vienna' });
    const rows = pullRows(client);
    webhookId = rows.webhookId;
    ids = await rows.store(600);
  });

  test('shows all fields of a stored payload in the envelope', async () => {
    const reply = await client.get(`${PATH}?limit=1`);
    const [row] = await d1<{ body: string; created_at: number }>(
      'select body, created_at from account_events where account_id = ?',
      [client.accountId],
    );
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      description: 'Webhook payloads',
      errors: [],
      data: [
        {
          id: ids[0],
          webhookId,
          type: 'pass_template_created',
          triggeredOn: iso(row!.created_at).slice(0, 19).replace('T', ' '),
          payload: JSON.parse(row!.body),
        },
      ],
      statusCode: 200,
      count: 1,
      responseMetaData: { resultsTotal: 600, resultsThisPage: 1 },
    });
  });

  test.each([
    ['', 100],
    ['limit=7', 7],
    ['limit=500', 500],
    ['limit=501', 500],
    [`limit=${'9'.repeat(400)}`, 500],
    ['limit=1', 1],
    ['limit=0', 1],
    ['limit=-1', 1],
    [`limit=-${'9'.repeat(400)}`, 1],
    ['limit=%2B3', 3],
  ])('with "%s" returns that many of the oldest', async (query, count) => {
    const reply = await client.get(`${PATH}?${query}`);
    expect(idsOf(reply)).toEqual(ids.slice(0, count));
    expect(reply.body.responseMetaData).toEqual({ resultsTotal: 600, resultsThisPage: count });
  });

  test.each(['ten', '1.5', '1e2', '0x10', '', '%20', 'null'])('rejects the limit "%s"', async (limit) => {
    const reply = await client.get(`${PATH}?limit=${limit}`);
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0]).toMatch(/^limit: /);
  });

  test('of one subscription returns only its payloads, and of an unknown or foreign one none', async () => {
    const other = pullRows(client);
    const [newest] = await other.store(1);
    const foreign = await freshAccount();
    const theirs = pullRows(foreign);
    await theirs.store(2);
    const ofOther = await client.get(`${PATH}?webhookId=${other.webhookId}`);
    expect(idsOf(ofOther)).toEqual([newest]);
    expect(ofOther.body.responseMetaData).toEqual({ resultsTotal: 1, resultsThisPage: 1 });
    for (const unknown of [randomUUID(), theirs.webhookId, 'nonsense', '']) {
      const none = await client.get(`${PATH}?webhookId=${unknown}`);
      expect(none.status).toBe(200);
      expect(none.body.data).toEqual([]);
      expect(none.body.responseMetaData).toEqual({ resultsTotal: 0, resultsThisPage: 0 });
    }
    await client.post(ACKNOWLEDGE, { upTo: newest, webhookId: other.webhookId });
  });
});

describe('since', () => {
  let client: Client;
  let earlier: string[];
  let later: string[];
  /** A whole second. */
  const second = Math.floor((Date.now() - HOUR_MS) / 1_000) * 1_000;
  const since = (text: string) => client.get(`${PATH}?since=${text}`);

  beforeAll(async () => {
    client = await freshAccount({ timezone: 'America/New_York' });
    const rows = pullRows(client);
    earlier = await rows.store(2);
    later = await rows.store(3);
    const set = (ids: string[], at: number) =>
      d1(
        'update webhook_payloads set triggered_at = ? where id in (select value from json_each(?))',
        [at, JSON.stringify(ids)],
        client,
      );
    await set(earlier, second + 250);
    await set(later, second + 1_500);
  });

  test.each([
    ['an hour before', () => iso(second - HOUR_MS), 5],
    ['a millisecond before the first', () => iso(second + 249), 5],
    ['the very time of the first', () => iso(second + 250), 3],
    ['the second that triggeredOn shows of the first', () => iso(second).replace('.000', ''), 3],
    ['triggeredOn of the first as it stands', () => iso(second).slice(0, 19).replace('T', ' '), 3],
    ['the second of the last', () => iso(second + 1_000).replace('.000', ''), 0],
    ['a time to come', () => iso(Date.now() + DAY_MS), 0],
    ['an offset', () => `${iso(second + 2 * HOUR_MS + 250).replace('Z', '')}%2B02:00`, 3],
    ['an offset whose plus sign is not escaped', () => `${iso(second + 2 * HOUR_MS + 250).replace('Z', '')}+02:00`, 3],
    ['a time without an offset, which is UTC', () => iso(second + 250).replace('Z', ''), 3],
    ['a date', () => iso(second - 2 * DAY_MS).slice(0, 10), 5],
  ])('accepts %s', async (_, text, count) => {
    const reply = await since(text());
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual([...earlier, ...later].slice(5 - count));
    expect(reply.body.responseMetaData).toEqual({ resultsTotal: count, resultsThisPage: count });
  });

  test('works with a limit and a subscription', async () => {
    const limited = await client.get(`${PATH}?since=${iso(second + 250)}&limit=2`);
    expect(idsOf(limited)).toEqual(later.slice(0, 2));
    expect(limited.body.responseMetaData).toEqual({ resultsTotal: 3, resultsThisPage: 2 });
    expect(idsOf(await client.get(`${PATH}?since=${iso(second)}&webhookId=${randomUUID()}`))).toEqual([]);
  });

  test.each(['yesterday', '', '2026-02-30T10:00:00Z', '1770112800', '2026-02-03T25:00:00Z', '03.02.2026'])(
    'rejects "%s" and says what it expects',
    async (text) => {
      const reply = await since(text);
      expect(reply.status).toBe(400);
      expect(reply.body).toMatchObject({ success: false, data: [], statusCode: 400 });
      expect(reply.body.errors[0]).toMatch(/invalid since parameter.*ISO 8601/i);
    },
  );
});

describe('acknowledging', () => {
  test('acknowledges every payload up to the named one once, and keeps the others', async () => {
    const client = await freshAccount();
    const ids = await pullRows(client).store(5);
    const first = await client.post(ACKNOWLEDGE, { upTo: ids[2] });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ success: true, errors: [], statusCode: 200, data: { acknowledged: 3 } });
    const left = await client.get(PATH);
    expect(idsOf(left)).toEqual(ids.slice(3));
    expect(left.body.responseMetaData).toEqual({ resultsTotal: 2, resultsThisPage: 2 });
    expect((await client.post(ACKNOWLEDGE, { upTo: ids[2] })).body.data).toEqual({ acknowledged: 0 });
    expect((await client.post(ACKNOWLEDGE, { upTo: ids[0] })).body.data).toEqual({ acknowledged: 0 });
    expect((await client.post(ACKNOWLEDGE, { upTo: ids[4] })).body.data).toEqual({ acknowledged: 2 });
    expect((await client.get(PATH)).body.responseMetaData).toEqual({ resultsTotal: 0, resultsThisPage: 0 });
  });

  test('goes by sequence, not by time: an unfetched payload of the same second is kept', async () => {
    const client = await freshAccount();
    const ids = await pullRows(client).store(2);
    // Stored last, but triggered before both.
    const [late] = await pullRows(client).store(1, { ageMillis: 60_000 });
    expect(idsOf(await client.get(PATH))).toEqual([...ids, late]);
    expect((await client.post(ACKNOWLEDGE, { upTo: ids[0] })).body.data).toEqual({ acknowledged: 1 });
    expect(idsOf(await client.get(PATH))).toEqual([ids[1], late]);
  });

  test('acknowledges those of all subscriptions, or with webhookId of one', async () => {
    const client = await freshAccount();
    const [a, b] = [pullRows(client), pullRows(client)];
    const mixed = [...(await a.store(2)), ...(await b.store(2)), ...(await a.store(1)), ...(await b.store(1))];
    const one = await client.post(ACKNOWLEDGE, { upTo: mixed[4], webhookId: a.webhookId });
    expect(one.body.data).toEqual({ acknowledged: 3 });
    expect(idsOf(await client.get(PATH))).toEqual([mixed[2], mixed[3], mixed[5]]);
    expect((await client.get(`${PATH}?webhookId=${b.webhookId}`)).body.responseMetaData.resultsTotal).toBe(3);
    const foreign = await client.post(ACKNOWLEDGE, { upTo: mixed[5], webhookId: randomUUID() });
    expect(foreign.body.data).toEqual({ acknowledged: 0 });
    expect((await client.post(ACKNOWLEDGE, { upTo: mixed[3] })).body.data).toEqual({ acknowledged: 2 });
    expect(idsOf(await client.get(PATH))).toEqual([mixed[5]]);
  });

  test.each([
    ['{}', {}],
    ['null', { upTo: null }],
    ['a number', { upTo: 5 }],
    ['an object', { upTo: { id: 'a' } }],
    ['a boolean', { upTo: true }],
    ['an empty text', { upTo: '' }],
  ])('rejects %s and names upTo', async (_, body) => {
    const client = await freshAccount();
    const [id] = await pullRows(client).store(1);
    const reply = await client.post(ACKNOWLEDGE, body);
    expect(reply.status).toBe(400);
    expect(reply.body.errors).toEqual(['missing required parameter: upTo']);
    expect(idsOf(await client.get(PATH))).toEqual([id]);
  });

  test('reports for an absent body that upTo is missing', async () => {
    const client = await freshAccount();
    const reply = await client.post(ACKNOWLEDGE);
    expect([reply.status, reply.body.errors]).toEqual([400, ['missing required parameter: upTo']]);
  });

  test('does not distinguish a foreign payload from an unknown one, and changes nothing', async () => {
    const [client, other] = [await freshAccount(), await freshAccount()];
    const ids = await pullRows(client).store(2);
    const theirs = await pullRows(other).store(2);
    const foreign = await client.post(ACKNOWLEDGE, { upTo: theirs[1] });
    const unknown = await client.post(ACKNOWLEDGE, { upTo: randomUUID() });
    const nonsense = await client.post(ACKNOWLEDGE, { upTo: 'nonsense' });
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    expect(foreign.body).toEqual(nonsense.body);
    expect(idsOf(await client.get(PATH))).toEqual(ids);
    expect(idsOf(await other.get(PATH))).toEqual(theirs);
    await client.post(ACKNOWLEDGE, { upTo: ids[1] });
    expect(idsOf(await other.get(PATH))).toEqual(theirs);
  });

  test('counts each payload once when 50 clients acknowledge at once', async () => {
    const client = await freshAccount();
    const ids = await pullRows(client).store(200);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => client.post(ACKNOWLEDGE, { upTo: ids[(i * 37) % 200] })),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const furthest = Math.max(...Array.from({ length: 50 }, (_, i) => (i * 37) % 200)) + 1;
    const sum = replies.reduce((total, { body }) => total + body.data.acknowledged, 0);
    expect(sum).toBe(furthest);
    const { resultsTotal } = (await client.get(PATH)).body.responseMetaData;
    expect(resultsTotal).toBe(200 - furthest);
  });

  test('handles more payloads than one statement does', async () => {
    const client = await freshAccount();
    const ids = await pullRows(client).store(5_001);
    expect((await client.post(ACKNOWLEDGE, { upTo: ids[4_999] })).body.data).toEqual({ acknowledged: 5_000 });
    expect(idsOf(await client.get(PATH))).toEqual(ids.slice(5_000));
  });
});

describe('retention', () => {
  test('deletes payloads a day after their acknowledgment, and the others after thirty days', async () => {
    const client = await freshAccount();
    const rows = pullRows(client);
    const stored = {
      old: await rows.store(3, { ageMillis: 30 * DAY_MS - HOUR_MS, first: true }),
      expired: await rows.store(3, { ageMillis: 30 * DAY_MS + HOUR_MS, first: true }),
      removed: await rows.store(3, { ageMillis: 2 * DAY_MS, acknowledgedMillisAgo: DAY_MS + HOUR_MS }),
      acknowledged: await rows.store(3, { ageMillis: 2 * DAY_MS, acknowledgedMillisAgo: DAY_MS - HOUR_MS }),
      young: await rows.store(3),
    };
    await runScheduled();
    const kept = await d1<{ id: string }>('select id from webhook_payloads where account_id = ? order by sequence', [
      client.accountId,
    ]);
    expect(kept.map(({ id }) => id)).toEqual([...stored.old, ...stored.acknowledged, ...stored.young]);
    const left = await client.get(PATH);
    expect(idsOf(left)).toEqual([...stored.old, ...stored.young]);
    expect(left.body.responseMetaData).toEqual({ resultsTotal: 6, resultsThisPage: 6 });
    expect((await client.post(ACKNOWLEDGE, { upTo: stored.removed[0] })).status).toBe(404);
  });

  test('deletes more than a page in one run, even with two runs at once', async () => {
    const client = await freshAccount();
    const rows = pullRows(client);
    await rows.store(2_500, { ageMillis: 31 * DAY_MS, first: true });
    await rows.store(2_500, { ageMillis: 3 * DAY_MS, acknowledgedMillisAgo: 2 * DAY_MS });
    const young = await rows.store(1);
    await Promise.all([runScheduled(), runScheduled()]);
    const left = await client.get(PATH);
    expect(idsOf(left)).toEqual(young);
    expect(left.body.responseMetaData.resultsTotal).toBe(1);
    expect(await d1('select id from webhook_payloads where account_id = ?', [client.accountId])).toHaveLength(1);
  });
});
