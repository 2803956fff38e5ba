import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/domain/events/catalog.ts';
import { type Client, freshAccount } from '../../support/api.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { copyRow } from '../../support/copy-row.ts';
import { type OutsideServer, openOutsideServer } from '../../support/outside-server.ts';
import { deliveriesOf, subscribed, told, webhookId } from '../../support/webhooks.ts';

let client: Client;
let templateId: string;
let receiver: OutsideServer;
beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate();
  receiver = await openOutsideServer();
});
afterAll(() => receiver?.close());

const target = (path: string) => `${receiver.origin}/${path}`;
const at = (path: string) => (request: { path: string }) => request.path === `/${path}`;

/** Creates subscriptions in an account: one through the API, and copies of it. */
async function fillUp(own: Client, count: number): Promise<void> {
  await subscribed(own, target('many'));
  await copyRow(d1, {
    table: 'webhook_subscriptions',
    where: 'account_id = ? and target_url = ?',
    params: [own.accountId, target('many')],
    rows: count - 1,
    own: {
      // Increments the last digit, so that no copy has the original's identifier.
      id: "printf('%s%04x0%s', substr(id, 1, 30), numbers.value, substr('123456789abcdef0', instr('0123456789abcdef', substr(id, -1)), 1))",
      target_url: "target_url || '/' || numbers.value",
    },
  });
}

describe('list', () => {
  test('has each subscription’s figures on request, in the same round trip', async () => {
    const own = await freshAccount();
    const { identifier } = await subscribed(own, target('figures'));
    const [{ body: short }, details] = [await own.get('/api/hook/list'), await own.get(`/api/hook/${identifier}`)];
    expect(short[0]).not.toHaveProperty('metrics');
    const long = await own.get('/api/hook/list?includeMetrics=true');
    expect(long.body).toEqual([details.body]);
    expect((await costOf(long)).roundTrips).toBe(1);
    const wrong = await own.get('/api/hook/list?includeMetrics=perhaps');
    expect([wrong.status, wrong.body.ErrorMessage]).toEqual([400, 'includeMetrics: must be true or false']);
  });
});

describe('subscribe', () => {
  test('replies 201 with an empty object, and the list shows the subscription', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const body = { target_url: target('plain'), event: 'pass_created', subscription_url: 'my name' };
    const first = await own.post('/api/hook/subscribe', body);
    const second = await own.post(`/api/hook/subscribe/${template}`, { ...body, event: 'pass_voided' });
    expect([first.status, first.body, second.status, second.body]).toEqual([201, {}, 201, {}]);
    const { body: list } = await own.get('/api/hook/list');
    expect(list).toEqual([
      {
        ...body,
        pass_template: null,
        pull_mode: false,
        identifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'active',
      },
      {
        ...body,
        event: 'pass_voided',
        pass_template: template,
        pull_mode: false,
        identifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'active',
      },
    ]);
  });

  test('shows a token once, and each delivery has it', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const reply = await own.post('/api/hook/subscribe?generateAccessToken=true', {
      target_url: target('token'),
      event: 'pass_created',
    });
    expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['accessToken']]);
    expect(reply.body.accessToken.length).toBeGreaterThanOrEqual(22);
    await own.createPass(template);
    const [request] = await receiver.received(1, at('token'));
    expect(request!.headers.authorization).toBe(`Bearer ${reply.body.accessToken}`);
    expect(JSON.stringify((await own.get('/api/hook/list')).body)).not.toContain(reply.body.accessToken);
    const [stored] = await d1<Record<string, string>>('select * from webhook_subscriptions where account_id = ?', [
      own.accountId,
    ]);
    expect(JSON.stringify(stored)).not.toContain(reply.body.accessToken);
  });

  test('shows a token in pull mode too', async () => {
    const own = await freshAccount();
    const reply = await own.post('/api/hook/subscribe?generateAccessToken=true', {
      event: 'pass_created',
      pullMode: true,
    });
    expect([reply.status, Object.keys(reply.body)]).toEqual([201, ['accessToken']]);
    expect(reply.body.accessToken.length).toBeGreaterThanOrEqual(22);
    expect(JSON.stringify((await own.get('/api/hook/list')).body)).not.toContain(reply.body.accessToken);
  });

  test('shows everything with Prefer: return=representation', async () => {
    const reply = await client.post(
      '/api/hook/subscribe',
      { target_url: target('whole'), event: 'pass_deleted', retryEnabled: true },
      { Prefer: 'respond-async, return=representation' },
    );
    expect(reply.headers.get('Preference-Applied')).toBe('return=representation');
    expect(reply.body).toMatchObject({
      identifier: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      retryEnabled: true,
      signPayload: false,
      status: 'active',
      metrics: { delivered: 0, failed: 0, lagMillis: null, lastOutcome: null, lastAttemptOn: null, failingSince: null },
    });
    const read = await client.get(`/api/hook/${reply.body.identifier}`);
    const { secret: _, ...shown } = reply.body;
    expect([read.status, read.body]).toEqual([200, shown]);
  });

  test.each(EVENT_TYPES)('accepts %s, for all templates and for one', async (event) => {
    const body = { target_url: target('any'), event };
    expect((await client.post('/api/hook/subscribe', body)).status).toBe(201);
    expect((await client.post(`/api/hook/subscribe/${templateId}`, body)).status).toBe(201);
    await client.post('/api/hook/unsubscribe', { target_url: target('any') });
  });

  test.each([
    ['no target_url', { target_url: undefined }, /target_url: is required/],
    ['a null target_url', { target_url: null }, /target_url: is required/],
    ['a target_url of another type', { target_url: {} }, /target_url: must be a string/],
    ['a number in place of a target_url', { target_url: 7 }, /target_url: .*https/],
    ['a target_url that is none', { target_url: 'nonsense' }, /target_url/],
    ['http', { target_url: 'http://example.com/hook' }, /target_url.*https/],
    ['another scheme', { target_url: 'ftp://example.com/hook' }, /target_url.*https/],
    ['credentials', { target_url: 'https://user:secret@example.com/' }, /target_url.*credentials/],
    [
      'a target_url of 2,049 characters',
      { target_url: `https://example.com/${'x'.repeat(2_029)}` },
      /target_url.*2048/,
    ],
    ['a port of another service', { target_url: 'https://example.com:25/' }, /target_url.*port/],
    ['no event', { event: undefined }, /event: is required/],
    ['an unknown event', { event: 'pass_eaten' }, /unknown event type was specified: pass_eaten/],
    ['an event of another type', { event: ['pass_created'] }, /event: must be a string/],
    ['a retryEnabled that is no boolean', { retryEnabled: 'yes' }, /retryEnabled: must be true or false/],
    ['a signPayload that is no boolean', { signPayload: 1 }, /signPayload: must be true or false/],
    ['a pullMode that is no boolean', { pullMode: 'on' }, /pullMode: must be true or false/],
    ['a subscription_url of another type', { subscription_url: {} }, /subscription_url: must be a string/],
  ])('rejects %s and names it', async (_, fields, message) => {
    const own = await freshAccount();
    const body = { target_url: 'https://example.com/hook', event: 'pass_created', ...fields };
    const reply = await own.post('/api/hook/subscribe', body);
    expect([reply.status, reply.body]).toEqual([400, { ErrorMessage: expect.stringMatching(message) }]);
    expect((await own.get('/api/hook/list')).body).toEqual([]);
  });

  test.each([
    'localhost',
    'api.localhost',
    'printer.local',
    'db.internal',
    'router',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '10.0.0.8',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::a00:1]',
    '[fe80::1]',
    '[fc00::1]',
    '[ff02::1]',
    '[2002:7f00:1::]',
    '127.0.0.1.',
    '127%2e0%2e0%2e1',
    'ⓛocalhost',
  ])('rejects the private target %s', async (host) => {
    const reply = await client.post('/api/hook/subscribe', { target_url: `https://${host}/`, event: 'pass_created' });
    expect(reply.status).toBe(400);
    expect(reply.body.ErrorMessage).toMatch(/^target_url: /);
  });

  test('returns 404 for an unknown or foreign template', async () => {
    const body = { target_url: target('nowhere'), event: 'pass_created' };
    const foreign = await (await freshAccount()).createTemplate();
    for (const template of [crypto.randomUUID(), foreign, 'nonsense']) {
      const reply = await client.post(`/api/hook/subscribe/${template}`, body);
      expect([reply.status, reply.body]).toEqual([404, { ErrorMessage: 'Object not found' }]);
    }
  });

  test('twice to the same target and event is one subscription with the later options, even if 50 race', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const first = await subscribed(own, target('twice'));
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        own.post(
          '/api/hook/subscribe',
          { target_url: target('twice'), event: 'pass_created', retryEnabled: true, subscription_url: `no. ${i}` },
          { Prefer: 'return=representation' },
        ),
      ),
    );
    for (const { status, body } of replies) {
      expect([status, body.identifier, body.secret, body.retryEnabled]).toEqual([
        201,
        first.identifier,
        first.secret,
        true,
      ]);
    }
    const races = Array.from({ length: 50 }, () => subscribed(own, target('race'), { template }));
    expect(new Set((await Promise.all(races)).map(({ identifier }) => identifier)).size).toBe(1);
    expect((await own.get('/api/hook/list')).body).toHaveLength(2);
    await own.createPass(template);
    await receiver.received(1, at('twice'));
    await receiver.received(1, at('race'));
    const [id] = (await own.get('/api/hook/list')).body.map((one: { identifier: string }) => one.identifier);
    expect(await deliveriesOf(own, id)).toHaveLength(1);
  });

  test('is rejected beyond 500, and deleting one makes room', async () => {
    const own = await freshAccount();
    await fillUp(own, 499);
    const { identifier } = await subscribed(own, target('last'));
    const body = { target_url: target('too-many'), event: 'pass_created' };
    const refused = await own.post('/api/hook/subscribe', body);
    expect([refused.status, refused.body.ErrorMessage]).toEqual([400, expect.stringMatching(/500 subscriptions/)]);
    await own.delete(`/api/hook/${identifier}`);
    expect((await own.post('/api/hook/subscribe', body)).status).toBe(201);
  });

  test('has room again once templates are deleted and all events delivered', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const { identifier } = await subscribed(own, target('orphan'), { template });
    await fillUp(own, 499);
    const body = { target_url: target('next'), event: 'pass_created' };
    expect((await own.post('/api/hook/subscribe', body)).status).toBe(400);
    await own.delete(`/api/pass-template/${template}`);
    const waits = [identifier, 'event'];
    await d1(
      `insert into event_deliveries (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
       values (?, ?, 'waiting', ${Date.now() + 3_600_000}, 1, '[]', 0)`,
      waits,
    );
    await eventually(async () => {
      const left = await d1('select 1 from template_deletions where template_id = ?', [template]);
      return left.length === 0;
    });
    expect((await own.post('/api/hook/subscribe', body)).status).toBe(400);
    await d1('update event_deliveries set next_attempt_at = null where subscription_id = ? and event_id = ?', waits);
    await eventually(async () => (await own.post('/api/hook/subscribe', body)).status === 201);
    const { body: list } = await own.get('/api/hook/list');
    expect(list.map((one: { identifier: string }) => one.identifier)).not.toContain(identifier);
  });
});

describe('unsubscribe', () => {
  test.each(['post', 'delete'] as const)(
    'by %s removes every subscription of the target and no other',
    async (method) => {
      const own = await freshAccount();
      const stranger = await freshAccount();
      await subscribed(own, target('gone'));
      await subscribed(own, target('gone'), { event: 'pass_voided' });
      await subscribed(own, `${target('gone')}/`);
      await subscribed(stranger, target('gone'));
      const reply = await own[method]('/api/hook/unsubscribe', { target_url: target('gone') });
      expect([reply.status, reply.body]).toEqual([200, undefined]);
      const left = (await own.get('/api/hook/list')).body.map((one: { target_url: string }) => one.target_url);
      expect(left).toEqual([`${target('gone')}/`]);
      expect((await stranger.get('/api/hook/list')).body).toHaveLength(1);
      const again = await own[method]('/api/hook/unsubscribe', { target_url: target('gone') });
      expect([again.status, again.body]).toEqual([200, undefined]);
    },
  );

  test.each([{}, { target_url: null }, { target_url: '' }, { target_url: [7] }])('rejects %j', async (body) => {
    for (const method of ['post', 'delete'] as const) {
      const reply = await client[method]('/api/hook/unsubscribe', body);
      expect([reply.status, reply.body]).toEqual([400, { ErrorMessage: expect.stringMatching(/target_url/) }]);
    }
  });

  test('by identifier removes one, even in pull mode', async () => {
    const own = await freshAccount();
    const pull = await own.post(
      '/api/hook/subscribe',
      { event: 'pass_created', pullMode: true, target_url: 'ignored', retryEnabled: true, signPayload: true },
      { Prefer: 'return=representation' },
    );
    expect(pull.body).toMatchObject({ target_url: null, pull_mode: true, retryEnabled: false, signPayload: false });
    expect(pull.body.secret).toBeUndefined();
    const { identifier } = await subscribed(own, target('one'));
    for (const id of [pull.body.identifier, identifier]) {
      const reply = await own.delete(`/api/hook/${id}`);
      expect([reply.status, reply.body]).toEqual([200, undefined]);
      expect((await own.delete(`/api/hook/${id}`)).status).toBe(404);
    }
    expect((await own.get('/api/hook/list')).body).toEqual([]);
  });
});

describe('an event', () => {
  test('reaches its subscriptions, with its own body', async () => {
    const own = await freshAccount();
    const [mine, other] = [await own.createTemplate(), await own.createTemplate({ name: 'Other' })];
    await subscribed(own, target('all'));
    await subscribed(own, target('mine'), { template: mine });
    await subscribed(own, target('voids'), { event: 'pass_voided' });
    const pass = await own.createPass(mine, { userProvidedId: 'told-1', 'Full name': 'Ada' });
    const foreign = await own.createPass(other);
    await own.put(`/api/pass/${pass.identifier}`, { voided: true });
    const [all, [ofTemplate], [voided]] = await Promise.all([
      receiver.received(2, at('all')),
      receiver.received(1, at('mine')),
      receiver.received(1, at('voids')),
    ]);
    expect(all.map((request) => told(request).identifier).sort()).toEqual([pass.identifier, foreign.identifier].sort());
    expect(told(ofTemplate!)).toEqual({
      identifier: pass.identifier,
      passId: pass.identifier,
      uniqueIdentifier: expect.any(String),
      createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      passTemplate: 'Membership',
      userProvidedId: 'told-1',
      linkToPassPage: pass.linkToPassPage,
      passTemplateGuid: mine,
      genericProperties: { 'Full name': 'Ada', Level: 'Basic' },
    });
    expect(ofTemplate!.method).toBe('POST');
    expect(ofTemplate!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-event-type': 'pass_created',
      'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(ofTemplate!.headers.authorization).toBeUndefined();
    expect(voided!.headers['x-event-type']).toBe('pass_voided');
    expect(told(voided!).identifier).toBe(pass.identifier);
    // An event has the same identifier for every receiver.
    expect(all.map(webhookId)).toContain(webhookId(ofTemplate!));
    expect(receiver.requests.filter(at('mine'))).toHaveLength(1);
  });

  test('of one account reaches no other', async () => {
    const [one, two] = [await freshAccount(), await freshAccount()];
    await subscribed(one, target('one-account'));
    await subscribed(two, target('two-account'));
    const [passOfOne, passOfTwo] = [
      await one.createPass(await one.createTemplate()),
      await two.createPass(await two.createTemplate()),
    ];
    const [toOne] = await receiver.received(1, at('one-account'));
    const [toTwo] = await receiver.received(1, at('two-account'));
    expect([told(toOne!).identifier, told(toTwo!).identifier]).toEqual([passOfOne.identifier, passOfTwo.identifier]);
  });

  test('costs an account without subscriptions nothing, and one with subscriptions an outbox row and an entry in the index of passes', async () => {
    const own = await freshAccount();
    const template = await own.createTemplate();
    const create = () => own.post('/api/v3/pass', { data: { templateId: template } });
    const before = await costOf(await create());
    expect(
      await d1('select 1 from account_events where account_id = ? and pending is not null', [own.accountId]),
    ).toEqual([]);
    await subscribed(own, target('cost'), { event: 'pass_voided' });
    const unasked = await costOf(await create());
    await subscribed(own, target('cost'));
    const asked = await costOf(await create());
    await receiver.received(1, at('cost'));
    expect(unasked.rowsWritten).toBe(before.rowsWritten);
    expect(asked.rowsWritten).toBe(before.rowsWritten + 2);
    expect(unasked.roundTrips).toBe(before.roundTrips);
    expect(asked.roundTrips).toBe(before.roundTrips);
    expect(unasked.rowsRead - before.rowsRead).toBeLessThanOrEqual(2);
    expect(asked.rowsRead - before.rowsRead).toBeLessThanOrEqual(4);
    await eventually(async () => {
      const waiting = await d1('select 1 from account_events where account_id = ? and pending is not null', [
        own.accountId,
      ]);
      return waiting.length === 0;
    });
  });
});
