import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RETRY_DELAYS_MS } from '../../../src/domain/webhooks/write-health.ts';
import { admin, type Client, freshAccount } from '../../support/api.ts';
import { d1, eventually, runScheduled } from '../../support/control.ts';
import { type OutsideReply, type OutsideServer, openOutsideServer } from '../../support/outside-server.ts';
import { deliveriesOf, deliveriesWhen, hurry, subscribed, told, webhookId } from '../../support/webhooks.ts';

let client: Client;
let templateId: string;
let receiver: OutsideServer;
/** The receiver's replies, by the first segment of the path. */
const answers = new Map<string, () => OutsideReply>();
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  receiver = await openOutsideServer(({ path }) => answers.get(path.slice(1))?.() ?? {});
});
afterAll(() => receiver?.close());

const target = (path: string) => `${receiver.origin}/${path}`;
const at = (path: string) => (request: { path: string }) => request.path === `/${path}`;

/** Sets the reply at a path, subscribes there until the end of the test, and triggers one event. */
async function deliverOne(path: string, answer: () => OutsideReply, options: Record<string, unknown> = {}) {
  answers.set(path, answer);
  const { identifier } = await subscribed(client, target(path), options);
  onTestFinished(async () => {
    await client.delete(`/api/hook/${identifier}`);
  });
  const pass = await client.createPass(templateId);
  return { identifier, pass };
}

const detailsOf = async (id: string) => (await client.get(`/api/hook/${id}`)).body;

describe('a delivery attempt', () => {
  test.each([200, 201, 204, 299])('that is answered with %i has succeeded', async (status) => {
    const { identifier } = await deliverOne(`good-${status}`, () => ({ status }));
    const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'delivered');
    expect(delivery).toMatchObject({ nextAttemptOn: null, attempts: [{ outcome: 'delivered', status }] });
    expect(delivery!.attempts).toHaveLength(1);
  });

  test.each([400, 401, 404, 500, 503])(
    'that is answered with %i has failed, and records the status',
    async (status) => {
      const { identifier } = await deliverOne(`bad-${status}`, () => ({
        status,
        body: `no ${status}`.padEnd(1_000, '.'),
      }));
      const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
      expect(delivery!.nextAttemptOn).toBeNull();
      expect(delivery!.attempts).toEqual([
        {
          attemptedOn: expect.stringMatching(/^\d{4}-.*Z$/),
          outcome: `status_${status}`,
          status,
          answer: `no ${status}`.padEnd(200, '.'),
          durationMillis: expect.any(Number),
        },
      ]);
    },
  );

  test('is the only one without retryEnabled', async () => {
    const { identifier } = await deliverOne('once', () => ({ status: 500 }));
    await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
    await hurry(identifier);
    expect(receiver.requests.filter(at('once'))).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])(
    'that is redirected by %i has failed, because redirects are not followed',
    async (status) => {
      const { identifier } = await deliverOne(`redirect-${status}`, () => ({
        status,
        headers: { Location: target('elsewhere') },
      }));
      const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
      expect(delivery!.attempts[0]).toMatchObject({ outcome: 'redirect', status });
      expect(receiver.requests.filter(at('elsewhere'))).toEqual([]);
    },
  );

  test('reads no more than 64 KB of the answer', async () => {
    const body = 'x'.repeat(20 * 1024 * 1024);
    const { identifier } = await deliverOne('talkative', () => ({ body }));
    await deliveriesWhen(client, identifier, ([one]) => one?.state === 'delivered');
  });

  test('to an address that became private in the database is not made', async () => {
    const { identifier } = await subscribed(client, target('moved'));
    await d1("update webhook_subscriptions set target_url = 'https://169.254.169.254/' where id = ?", [identifier]);
    await client.createPass(templateId);
    const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
    expect(delivery!.attempts[0]!.outcome).toBe('private_address');
  });
});

describe('with retryEnabled', () => {
  test('an attempt follows each delay of the schedule, with up to 20 % jitter and the same webhook-id; then it fails permanently', async () => {
    const { identifier } = await deliverOne('schedule', () => ({ status: 500 }), { retryEnabled: true });
    expect(RETRY_DELAYS_MS.map((millis) => millis / 1_000)).toEqual([
      5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
    for (const [i, delay] of RETRY_DELAYS_MS.entries()) {
      const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.attempts.length === i + 1);
      const last = delivery!.attempts.at(-1)!;
      const wait = Date.parse(delivery!.nextAttemptOn!) - (Date.parse(last.attemptedOn) + last.durationMillis);
      expect(wait).toBeGreaterThanOrEqual(delay - 5);
      expect(wait).toBeLessThanOrEqual(delay * 1.2 + 2_000);
      await hurry(identifier);
    }
    const [given] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
    expect([given!.attempts.length, given!.nextAttemptOn]).toEqual([10, null]);
    const requests = receiver.requests.filter(at('schedule'));
    expect(requests).toHaveLength(10);
    expect(new Set(requests.map(webhookId))).toEqual(new Set([given!.deliveryId]));
    expect(await detailsOf(identifier)).toMatchObject({
      metrics: { delivered: 0, failed: 1, lastOutcome: 'status_500' },
    });
  });

  test('the first retry follows automatically, five to six seconds later', async () => {
    let first = true;
    const { identifier } = await deliverOne(
      'recovers',
      () => {
        const status = first ? 503 : 200;
        first = false;
        return { status };
      },
      { retryEnabled: true },
    );
    const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'delivered', 60_000);
    expect(delivery!.attempts.map(({ outcome }) => outcome)).toEqual(['status_503', 'delivered']);
    const [one, two] = receiver.requests.filter(at('recovers'));
    expect(two!.at - one!.at).toBeGreaterThanOrEqual(5_000);
    expect(webhookId(one!)).toBe(webhookId(two!));
    expect((await detailsOf(identifier)).metrics.failingSince).toBeNull();
  });

  test('status 410 ends the subscription at once, and subscribing again revives it', async () => {
    const { identifier } = await deliverOne('leaves', () => ({ status: 410 }), { retryEnabled: true });
    await eventually(async () => (await detailsOf(identifier)).status === 'ended');
    const [delivery] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
    expect(delivery!.attempts.map(({ outcome }) => outcome)).toEqual(['status_410']);
    await client.createPass(templateId);
    expect(await deliveriesOf(client, identifier)).toHaveLength(1);
    for (const path of ['test', 'resume', `deliveries/${delivery!.deliveryId}/resend`]) {
      expect((await client.post(`/api/hook/${identifier}/${path}`)).status).toBe(409);
    }
    answers.set('leaves', () => ({}));
    expect((await subscribed(client, target('leaves'))).identifier).toBe(identifier);
    expect((await detailsOf(identifier)).status).toBe('active');
    await client.createPass(templateId);
    await receiver.received(2, at('leaves'));
  });
});

describe('deliveries', () => {
  test('are listed newest first, in pages', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const { identifier } = await subscribed(own, target('pages'));
    for (let i = 0; i < 5; i++) await own.createPass(template);
    await receiver.received(5, at('pages'));
    const whole = await deliveriesWhen(own, identifier, (list) => list.length === 5);
    const ids = whole.map(({ deliveryId }) => deliveryId);
    expect(ids).toEqual(ids.toSorted().reverse());
    const seen: string[] = [];
    let next: string | undefined = `/api/hook/${identifier}/deliveries?pageSize=2`;
    const sizes: number[] = [];
    while (next) {
      const { body } = await own.get(next as '/');
      sizes.push(body.results.length);
      seen.push(...body.results.map((one: { deliveryId: string }) => one.deliveryId));
      next = body.query.next;
    }
    expect([sizes, seen]).toEqual([[2, 2, 1], ids]);
  });

  test.each(['pageSize=0', 'pageSize=101', 'pageSize=x', 'before=nonsense'])('reject %s', async (query) => {
    const { identifier } = await subscribed(client, target('queries'));
    const reply = await client.get(`/api/hook/${identifier}/deliveries?${query}`);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringContaining(query.split('=')[0]!)]);
  });

  test('can be resent with the same webhook-id and body, whatever their outcome', async () => {
    let status = 500;
    const { identifier } = await deliverOne('again', () => ({ status }));
    const [failed] = await deliveriesWhen(client, identifier, ([one]) => one?.state === 'failed');
    status = 200;
    const resend = () => client.post(`/api/hook/${identifier}/deliveries/${failed!.deliveryId}/resend`);
    const reply = await resend();
    expect([reply.status, reply.body]).toEqual([202, { deliveryId: failed!.deliveryId }]);
    await deliveriesWhen(client, identifier, ([one]) => one?.state === 'delivered');
    await resend();
    const [again] = await deliveriesWhen(client, identifier, ([one]) => one?.attempts.length === 3);
    expect(again!.attempts.map(({ outcome }) => outcome)).toEqual(['status_500', 'delivered', 'delivered']);
    const requests = receiver.requests.filter(at('again'));
    expect(new Set(requests.map(webhookId)).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body.toString())).size).toBe(1);
    const unknown = await client.post(`/api/hook/${identifier}/deliveries/${crypto.randomUUID()}/resend`);
    expect(unknown.status).toBe(404);
  });
});

describe('test', () => {
  test('sends its event’s example to this subscription and no other', async () => {
    const { identifier } = await subscribed(client, target('tested'), { event: 'app_scan_created' });
    await subscribed(client, target('not-tested'), { event: 'app_scan_created' });
    const reply = await client.post(`/api/hook/${identifier}/test`);
    expect([reply.status, reply.body]).toEqual([202, { deliveryId: expect.any(String) }]);
    const [request] = await receiver.received(1, at('tested'));
    const catalog = (await client.get('/api/v3/events')).body.data;
    const example = catalog.find(
      (one: { type?: string; name?: string }) => (one.type ?? one.name) === 'app_scan_created',
    );
    expect(told(request!)).toEqual(example.example);
    expect(request!.headers['x-event-type']).toBe('app_scan_created');
    expect(webhookId(request!)).toBe(reply.body.deliveryId);
    expect(receiver.requests.filter(at('not-tested'))).toEqual([]);
  });

  test('is stored for a subscription in pull mode', async () => {
    const own = await freshAccount();
    const { body } = await own.post(
      '/api/hook/subscribe',
      { event: 'pass_created', pullMode: true },
      { Prefer: 'return=representation' },
    );
    expect((await own.post(`/api/hook/${body.identifier}/test`)).status).toBe(202);
    const [payload] = await eventually(async () => {
      const { data } = (await own.get('/api/v3/webhook-payload')).body;
      return data.length > 0 && data;
    });
    expect(payload).toMatchObject({ webhookId: body.identifier, type: 'pass_created' });
  });
});

describe('recover', () => {
  const isoIn = (millis: number) => new Date(Date.now() + millis).toISOString();

  test('delivers the events of a period that were missed, once, and nothing that was delivered', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const before = await own.createPass(template, { userProvidedId: 'before it subscribed' });
    let status = 200;
    answers.set('recover', () => ({ status }));
    const { identifier } = await subscribed(own, target('recover'));
    const good = await own.createPass(template, { userProvidedId: 'delivered' });
    await deliveriesWhen(own, identifier, ([one]) => one?.state === 'delivered');
    status = 500;
    const bad = await own.createPass(template, { userProvidedId: 'failed' });
    await deliveriesWhen(own, identifier, ([one]) => one?.state === 'failed');
    status = 200;
    const other = await own.createPass(await own.createTemplate({ name: 'Other' }));
    await deliveriesWhen(own, identifier, (list) => list.length === 3 && list[0]!.state === 'delivered');
    const reply = await own.post(`/api/hook/${identifier}/recover`, { since: isoIn(-60_000), until: isoIn(60_000) });
    expect([reply.status, Object.keys(reply.body)]).toEqual([202, ['since', 'until']]);
    await receiver.received(5, at('recover'));
    const list = await deliveriesWhen(own, identifier, (all) => all.every(({ state }) => state === 'delivered'));
    expect(list).toHaveLength(4);
    const counts = Map.groupBy(
      receiver.requests.filter(at('recover')),
      (request) => told(request).identifier as string,
    );
    expect([before, good, bad, other].map((pass) => counts.get(pass.identifier)?.length)).toEqual([1, 1, 2, 1]);
    await own.post(`/api/hook/${identifier}/recover`, { since: isoIn(-60_000) });
    await eventually(async () => {
      const [row] = await d1<{ open: string | null }>(
        'select recover_after_id as open from webhook_subscriptions where id = ?',
        [identifier],
      );
      return row!.open === null;
    });
    expect(receiver.requests.filter(at('recover'))).toHaveLength(5);
  });

  test('delivers nothing outside the period', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    await own.createPass(template);
    const { identifier } = await subscribed(own, target('period'));
    await own.post(`/api/hook/${identifier}/recover`, { since: isoIn(60_000), until: isoIn(120_000) });
    await own.post(`/api/hook/${identifier}/recover`, { since: isoIn(-120_000), until: isoIn(-60_000) });
    await own.createPass(template);
    await receiver.received(1, at('period'));
    expect(await deliveriesOf(own, identifier)).toHaveLength(1);
  });

  test('processes thousands of events, and continues after a lost job', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const { identifier: pass } = await own.createPass(template);
    await d1(
      `insert into account_events (id, account_id, type, template, pass, body, created_at) with recursive numbers(value) as
        (select 1 union all select value + 1 from numbers where value < 1200)
       select printf('%s-7%03x-8%s', substr(id, 1, 13), value % 4096, printf('%03x-%012x', value / 4096, value * 256)), account_id,
         iif(value % 10 = 0, type, 'pass_updated'), template, pass, body, created_at from account_events, numbers where pass_id = ?`,
      [pass],
    );
    const { identifier } = await subscribed(own, target('thousands'));
    await d1('update webhook_subscriptions set recover_after_id = ?, recover_until_id = ? where id = ?', [
      '00000000',
      'ffffffff',
      identifier,
    ]);
    await runScheduled();
    await eventually(() => receiver.requests.filter(at('thousands')).length >= 121);
    await deliveriesWhen(own, identifier, ([one]) => one?.state === 'delivered');
    expect(new Set(receiver.requests.filter(at('thousands')).map(webhookId)).size).toBe(121);
  });

  test.each([
    [{}, /since: is required/],
    [{ since: [7] }, /since: must be a string/],
    [{ since: 7 }, /since: must be a date and time in ISO 8601, such as 2027/],
    [{ since: 'yesterday' }, /since: must be a date and time in ISO 8601/],
    [{ since: '2026-02-30T10:00:00Z' }, /since/],
    [{ since: '2026-02-01T10:00:00Z', until: 'soon' }, /until: must be a date and time in ISO 8601/],
    [{ since: '2026-02-01T10:00:00Z', until: '2026-01-01T10:00:00Z' }, /until: must not be before since/],
  ])('rejects %j', async (body, message) => {
    const { identifier } = await subscribed(client, target('recover-refuses'));
    const reply = await client.post(`/api/hook/${identifier}/recover`, body);
    expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringMatching(message)]);
  });

  test('and lists of deliveries exist only for push subscriptions', async () => {
    const { body } = await client.post(
      '/api/hook/subscribe',
      { event: 'pass_created', pullMode: true },
      { Prefer: 'return=representation' },
    );
    const path = `/api/hook/${body.identifier}` as const;
    const replies = [
      await client.get(`${path}/deliveries`),
      await client.post(`${path}/recover`, { since: isoIn(0) }),
      await client.post(`${path}/secret/rotate`),
    ];
    for (const reply of replies)
      expect([reply.status, reply.body.ErrorMessage]).toEqual([400, expect.stringMatching(/pull mode/)]);
    await client.delete(path);
  });
});

describe('a subscription that fails for five days', () => {
  const DAY_MS = 24 * 3_600_000;

  test('is paused and its owner notified by e-mail once; after resuming, deliveries continue, and recovering delivers what it missed', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    await admin('user invite', {
      account: own.accountId,
      email: `owner-${own.accountId}@example.com`,
      privilege: ['owner'],
    });
    await admin('user invite', {
      account: own.accountId,
      email: `reader-${own.accountId}@example.com`,
      privilege: ['read'],
    });
    let status = 500;
    answers.set('pausing', () => ({ status }));
    const { identifier } = await subscribed(own, target('pausing'), { retryEnabled: true });
    const details = async () => (await own.get(`/api/hook/${identifier}`)).body;
    const failingFor = (millis: number) =>
      d1('update webhook_subscriptions set failing_since_at = ? where id = ?', [Date.now() - millis, identifier]);
    const one = await own.createPass(template);
    await deliveriesWhen(own, identifier, ([first]) => first?.attempts.length === 1);
    expect((await details()).metrics.failingSince).not.toBeNull();
    await failingFor(5 * DAY_MS - 60_000);
    await hurry(identifier);
    await deliveriesWhen(own, identifier, ([first]) => first?.attempts.length === 2);
    expect((await details()).status).toBe('active');
    await failingFor(5 * DAY_MS + 60_000);
    await hurry(identifier);
    await eventually(async () => (await details()).status === 'paused');
    await hurry(identifier);
    const missed = await own.createPass(template);
    await Promise.all([runScheduled(), runScheduled()]);
    const mails = await d1<{ recipient: string; text: string; subject: string }>(
      "select recipient, subject, text from outbox_items where kind = 'email' and recipient like ?",
      [`%${own.accountId}@example.com`],
    );
    expect(mails).toEqual([
      {
        recipient: `owner-${own.accountId}@example.com`,
        subject: 'Webhook paused: pass_created',
        text: expect.stringContaining(`/api/hook/${identifier}/resume`),
      },
    ]);
    const sent = receiver.requests.filter(at('pausing')).length;
    status = 200;
    const resumed = await own.post(`/api/hook/${identifier}/resume`);
    expect([resumed.status, resumed.body.status, resumed.body.metrics.failingSince]).toEqual([200, 'active', null]);
    const later = await own.createPass(template);
    await receiver.received(sent + 1, at('pausing'));
    await own.post(`/api/hook/${identifier}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
    await receiver.received(sent + 3, at('pausing'));
    const arrived = receiver.requests.filter(at('pausing')).slice(sent);
    expect(arrived.map((request) => told(request).identifier).sort()).toEqual(
      [one, missed, later].map((pass) => pass.identifier).sort(),
    );
    await deliveriesWhen(own, identifier, (list) => list.every(({ state }) => state === 'delivered'));
    expect((await details()).metrics).toMatchObject({ delivered: 3, lastOutcome: 'delivered', failingSince: null });
  });
});

test('a subscription’s figures show what was delivered, and how late', async () => {
  const { identifier } = await deliverOne('figures', () => ({}));
  await eventually(async () => (await detailsOf(identifier)).metrics.delivered === 1);
  const { metrics } = await detailsOf(identifier);
  expect(metrics).toMatchObject({ delivered: 1, failed: 0, lastOutcome: 'delivered', failingSince: null });
  expect(metrics.lagMillis).toBeGreaterThanOrEqual(0);
  expect(Date.now() - Date.parse(metrics.lastAttemptOn)).toBeLessThan(60_000);
});

test('a subscription’s figures show each delivery at once, wherever it is counted', async () => {
  answers.set('several', () => ({}));
  const own = await freshAccount();
  const template = await own.createTemplate();
  const { identifier } = await subscribed(own, target('several'));
  for (const delivered of [1, 2, 3]) {
    await own.createPass(template);
    await deliveriesWhen(
      own,
      identifier,
      (list) => list.filter(({ state }) => state === 'delivered').length === delivered,
    );
    const { body } = await own.get(`/api/hook/${identifier}`);
    const [newest] = await deliveriesOf(own, identifier);
    expect(body.metrics).toMatchObject({ delivered, lastAttemptOn: newest!.attempts[0]!.attemptedOn });
    const [listed] = (await own.get('/api/hook/list?includeMetrics=true')).body;
    expect(listed).toEqual(body);
    expect((await own.post(`/api/hook/${identifier}/resume`)).body).toEqual(body);
  }
});
