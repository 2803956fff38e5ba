import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually, runScheduled } from '../../support/control.ts';
import { openOutsideServer } from '../../support/outside-server.ts';
import { told } from '../../support/webhooks.ts';

/* Pull mode from subscription to acknowledgment, through the API alone. */

const PATH = '/api/v3/webhook-payload';
const PULL = { event: 'pass_created', pullMode: true };
const WHOLE = { Prefer: 'return=representation' };

interface Payload {
  id: string;
  webhookId: string;
  type: string;
  triggeredOn: string;
  payload: Record<string, unknown>;
}

async function pulling(client: Client, fields: object = {}, template?: string): Promise<string> {
  const path = `/api/hook/subscribe${template ? `/${template}` : ''}` as const;
  const reply = await client.post(path, { ...PULL, ...fields }, WHOLE);
  expect(reply.status).toBe(201);
  return reply.body.identifier;
}

/** Waits until a subscription has `count` payloads, and returns them. */
function stored(client: Client, webhookId: string, count: number): Promise<Payload[]> {
  return eventually(async () => {
    const { body } = await client.get(`${PATH}?webhookId=${webhookId}&limit=500`);
    return body.responseMetaData.resultsTotal >= count && body.data;
  });
}

describe('a pull subscription', () => {
  let client: Client;
  let templateId: string;
  beforeAll(async () => {
    client = await freshAccount({ timezone: 'Asia/Tokyo' });
    templateId = await client.createTemplate();
  });

  test('needs no target, returns 201 with an empty object, and is listed with pull_mode', async () => {
    const reply = await client.post('/api/hook/subscribe', {
      ...PULL,
      event: 'message_sent',
      subscription_url: 'mine',
    });
    expect([reply.status, reply.body]).toEqual([201, {}]);
    const { body: list } = await client.get('/api/hook/list');
    expect(list.find(({ event }: { event: string }) => event === 'message_sent')).toMatchObject({
      subscription_url: 'mine',
      target_url: null,
      event: 'message_sent',
      pass_template: null,
      pull_mode: true,
    });
  });

  test('stores the exact body that push mode posts, with its event and time', async () => {
    const receiver = await openOutsideServer();
    const target = { target_url: `${receiver.origin}/hook`, event: 'pass_created' };
    const pushing = await client.post('/api/hook/subscribe', target, WHOLE);
    const webhookId = await pulling(client);
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    await client.createPass(templateId, { userProvidedId: 'both', 'Full name': 'Ada "L." Lovelace ☂' });
    const [request] = await receiver.received();
    const [payload] = await stored(client, webhookId, 1);
    expect(payload).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      webhookId,
      type: 'pass_created',
      triggeredOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/),
      payload: told(request!),
    });
    const triggeredAt = Date.parse(`${payload!.triggeredOn.replace(' ', 'T')}Z`);
    expect(triggeredAt).toBeGreaterThanOrEqual(before);
    expect(triggeredAt).toBeLessThanOrEqual(Date.now());
    await client.delete(`/api/hook/${webhookId}`);
    await client.delete(`/api/hook/${pushing.body.identifier}`);
    await receiver.close();
  });

  test('of one template gets events of that template only', async () => {
    const other = await client.createTemplate();
    const ofOne = await pulling(client, {}, templateId);
    const ofAll = await pulling(client);
    await client.createPass(other);
    const { identifier } = await client.createPass(templateId);
    expect(await stored(client, ofAll, 2)).toHaveLength(2);
    expect((await stored(client, ofOne, 1)).map(({ payload }) => payload.identifier)).toEqual([identifier]);
    await client.delete(`/api/hook/${ofOne}`);
    await client.delete(`/api/hook/${ofAll}`);
  });

  test('loses its pending payloads when it is deleted, but not those of others', async () => {
    const [removed, kept] = [await pulling(client), await pulling(client)];
    await client.createPass(templateId);
    const [payload] = await stored(client, removed, 1);
    const [other] = await stored(client, kept, 1);
    expect((await client.delete(`/api/hook/${removed}`)).status).toBe(200);
    const left = await eventually(async () => {
      const { body } = await client.get(PATH);
      return body.data.every(({ webhookId }: Payload) => webhookId !== removed) && body;
    });
    expect(left.data.map(({ id }: Payload) => id)).toEqual([other!.id]);
    expect(left.responseMetaData).toEqual({ resultsTotal: 1, resultsThisPage: 1 });
    expect((await client.post(`${PATH}/acknowledge`, { upTo: payload!.id })).status).toBe(404);
    await client.delete(`/api/hook/${kept}`);
  });

  test('gets no events of another account', async () => {
    const webhookId = await pulling(client);
    const stranger = await freshAccount();
    const theirs = await pulling(stranger);
    await stranger.createPass(await stranger.createTemplate());
    const own = await client.createPass(templateId);
    expect(await stored(stranger, theirs, 1)).toHaveLength(1);
    expect((await stored(client, webhookId, 1)).map(({ payload }) => payload.identifier)).toEqual([own.identifier]);
    expect((await client.get(`${PATH}?webhookId=${theirs}`)).body.data).toEqual([]);
    await client.delete(`/api/hook/${webhookId}`);
  });
});

describe('fetching while events arrive', () => {
  const PASSES = 60;

  test('misses no payload and returns none twice, if each page is acknowledged before the next', async () => {
    const client = await freshAccount();
    const templateId = await client.createTemplate();
    const webhookId = await pulling(client);
    const created = Promise.all(
      Array.from({ length: PASSES }, (_, i) => client.createPass(templateId, { userProvidedId: String(i) })),
    );
    const fetched: Payload[] = [];
    let acknowledged = 0;
    await eventually(async () => {
      const { body } = await client.get(`${PATH}?limit=7`);
      const last: Payload | undefined = body.data.at(-1);
      fetched.push(...body.data);
      if (!last) return fetched.length >= PASSES;
      acknowledged += (await client.post(`${PATH}/acknowledge`, { upTo: last.id })).body.data.acknowledged;
      return false;
    });
    const passes = await created;
    expect(fetched.map(({ payload }) => payload.identifier).sort()).toEqual(
      passes.map(({ identifier }) => identifier).sort(),
    );
    expect(acknowledged).toBe(PASSES);
    expect(new Set(fetched.map(({ id }) => id)).size).toBe(PASSES);
    const order = await d1<{ id: string }>(
      'select id from webhook_payloads where subscription_id = ? order by sequence',
      [webhookId],
    );
    expect(fetched.map(({ id }) => id)).toEqual(order.map(({ id }) => id));
  });
});

test('an event fanned out by many at once is stored once', async () => {
  const client = await freshAccount();
  const templateId = await client.createTemplate();
  const webhookId = await pulling(client);
  const sweeps = Array.from({ length: 4 }, () => runScheduled());
  await Promise.all([...Array.from({ length: 20 }, () => client.createPass(templateId)), ...sweeps]);
  expect(await stored(client, webhookId, 20)).toHaveLength(20);
  const { body } = await client.get(PATH);
  expect(body.responseMetaData.resultsTotal).toBe(20);
});
