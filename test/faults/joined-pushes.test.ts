import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { contextIn } from '../../src/domain/context.ts';
import type { DeliveryJob } from '../../src/domain/jobs.ts';
import { fanOut } from '../../src/domain/webhooks/fan-out.ts';
import worker from '../../src/index.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* A change has a push and an event for a webhook. The run that takes the event holds the push, too. */

const PASS_TYPE_ID = 'pass.com.example.joined';
const DATABASE = 'DB_1';

let service: ServiceInProcess;
let queue: Queue;
/** Messages to the queue of webhooks, which wait for `consume`. */
let messages: DeliveryJob[];
/** Tokens of accepted pushes, and identifiers of delivered events. */
let pushes: string[];
let delivered: string[];
let meanwhile: () => Promise<unknown>;

beforeEach(async () => {
  [messages, pushes, delivered, meanwhile] = [[], [], [], async () => {}];
  service = await new ServiceInProcess({ databases: 2 }).open();
  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const id = await service.importCertificate(PASS_TYPE_ID);
  await service.admin('certificate push', { id, p8, 'key-id': 'ABCDEFGHIJ', 'team-id': 'TESTTEAM01' });
  vi.stubGlobal('fetch', async (input: string | URL, { headers }: RequestInit) => {
    const { hostname, pathname } = new URL(input);
    if (hostname.startsWith('hooks')) delivered.push((headers as Record<string, string>)['webhook-id']!);
    else pushes.push(pathname.split('/').at(-1)!);
    if (!hostname.startsWith('hooks')) await meanwhile();
    return new Response('');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

/** Keeps messages to the queue of webhooks from now on. */
function holdMessages(): void {
  queue = service.env.WEBHOOKS;
  const sendBatch = async (batch: { body: DeliveryJob }[]) => {
    messages.push(...batch.map(({ body }) => body));
  };
  service.env.WEBHOOKS = { sendBatch } as unknown as Queue;
}

/** Consumes a batch with these messages, to the end. */
async function consume(bodies: DeliveryJob[]): Promise<void> {
  const running: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => running.push(work) } as unknown as ExecutionContext;
  const list = bodies.map((body) => ({ id: crypto.randomUUID(), body, attempts: 1, timestamp: new Date(), ack() {} }));
  const batch = { queue: 'pass-wallet-webhooks', messages: list, ackAll() {} } as unknown as MessageBatch<never>;
  await worker.queue(batch, service.env, execution);
  while (running.length > 0) await running.shift();
}

interface Scene {
  accountId: string;
  passId: string;
  change: (storedValue: number, fields?: object) => Promise<void>;
}

/** Creates an account with a webhook and a pass on a phone, whose token is the pass. */
async function scene(): Promise<Scene> {
  const { accountId, apiKey } = await service.newAccount(DATABASE);
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', sampleTemplate({}));
  const target_url = 'https://hooks.example.com/';
  await send('POST', '/api/hook/subscribe', { target_url, event: 'pass_updated' });
  const { identifier: passId } = await send('POST', '/api/v3/pass', { data: { templateId } });
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'phone', ?, id, account_id, id, 1, null from passes where id = ?`,
    [PASS_TYPE_ID, passId],
  );
  await service.rows('update passes set number_of_active = 1 where id = ?', [passId]);
  await service.minutes(2);
  const change = async (storedValue: number, fields = {}) => {
    await send('PATCH', `/api/v3/pass/${passId}`, { data: { storedValue, ...fields } });
  };
  return { accountId, passId, change };
}

const waiting = () => service.count('select count(*) from requested_pushes');
const counts = () => [pushes.length, delivered.length];

test('50 deliveries of a message at the same time: 1 push, 1 delivery', async () => {
  const { change, accountId } = await scene();
  holdMessages();
  await change(1);
  expect(messages).toEqual([{ type: 'fan-out-events', accountId }]);
  await Promise.all(Array.from({ length: 50 }, () => consume(messages)));
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
  service.env.WEBHOOKS = queue;
  await service.minutes(30);
  expect(counts()).toEqual([1, 1]);
});

test('a run dies after it has taken the event: the cron pushes once', async () => {
  const { change } = await scene();
  holdMessages();
  await change(1);
  const origin = { requestId: 'dies', waitUntil: () => {} };
  expect((await fanOut(contextIn(service.env, DATABASE, origin))).pushes).toHaveLength(1);
  service.env.WEBHOOKS = queue;
  await service.minutes(5);
  expect(pushes).toEqual([]);
  expect(await service.until(async () => pushes.length > 0)).toBeLessThanOrEqual(3);
  await service.minutes(30);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
});

test('the message is lost: the cron sends another one for the event, whose run also pushes', async () => {
  const { change } = await scene();
  holdMessages();
  await change(1);
  service.env.WEBHOOKS = queue;
  expect(await service.until(async () => pushes.length > 0)).toBe(1);
  await service.minutes(30);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
  expect(service.queues.types.get('push-passes') ?? 0).toBe(0);
});

test('a run begins more than a minute after the change: the push gets a message of its own', async () => {
  const { change } = await scene();
  holdMessages();
  await change(1);
  vi.setSystemTime(Date.now() + 90_000);
  await consume(messages);
  expect([...counts(), await waiting()]).toEqual([0, 1, 1]);
  service.env.WEBHOOKS = queue;
  await service.until(async () => pushes.length > 0);
  expect(service.queues.types.get('push-passes')).toBe(1);
  await service.minutes(30);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
});

test('a newer change while the push is under way: its run pushes again', async () => {
  const { change } = await scene();
  holdMessages();
  await change(1);
  meanwhile = async () => {
    meanwhile = async () => {};
    await change(2);
  };
  await consume([messages[0]!]);
  expect([...counts(), await waiting()]).toEqual([1, 1, 1]);
  await consume([messages[1]!]);
  expect([...counts(), await waiting()]).toEqual([2, 2, 0]);
});

test('two changes before the run: one push for both', async () => {
  const { change } = await scene();
  holdMessages();
  await change(1);
  await change(2);
  await consume([messages[0]!]);
  await consume([messages[1]!]);
  expect([...counts(), await waiting()]).toEqual([1, 2, 0]);
});

test('a change with two events, the second of which a webhook gets: one message, one push', async () => {
  const { change, accountId, passId } = await scene();
  holdMessages();
  await change(1, { voided: true });
  const types = "select type from account_events where pass_id = ? and type <> 'pass_created' order by id";
  const events = (await service.rows<{ type: string }>(types, [passId])).map(({ type }) => type);
  expect([events, messages]).toEqual([['pass_voided', 'pass_updated'], [{ type: 'fan-out-events', accountId }]]);
  await consume(messages);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
  expect(service.queues.types.get('push-passes') ?? 0).toBe(0);
});

test('a pass that is also at Google: only the push to devices belongs to the event', async () => {
  const { change, passId } = await scene();
  await service.rows('update passes set google_published_at = 1 where id = ?', [passId]);
  service.env.PUSHES = { sendBatch: async () => {} } as unknown as Queue;
  holdMessages();
  await change(1);
  const rows = 'select wallet, claim is not null as held, attempts from requested_pushes order by wallet';
  expect(await service.rows(rows)).toEqual([
    { wallet: 'apple', held: 1, attempts: 1 },
    { wallet: 'google', held: 0, attempts: 0 },
  ]);
  await consume(messages);
  expect([...counts(), await service.rows(rows)]).toEqual([1, 1, [{ wallet: 'google', held: 0, attempts: 0 }]]);
});

test('a webhook that the change’s request does not know yet: the push has its own message', async () => {
  const { change, accountId } = await scene();
  await service.rows('update accounts set has_webhooks = 0 where id = ?', [accountId]);
  holdMessages();
  await change(1);
  await service.until(async () => pushes.length > 0, 0);
  expect([messages, await waiting()]).toEqual([[], 0]);
});

test('the account is suspended before the run: the push waits until it is resumed', async () => {
  const { change, accountId } = await scene();
  holdMessages();
  await change(1);
  await service.admin('account suspend', { id: accountId });
  await consume(messages);
  service.env.WEBHOOKS = queue;
  await service.minutes(30);
  expect([...counts(), await waiting()]).toEqual([0, 0, 1]);
  await service.admin('account resume', { id: accountId });
  await service.minutes(2);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
});

test('the message of one account takes the events of two: both get their push, once', async () => {
  const [one, two] = [await scene(), await scene()];
  holdMessages();
  await one.change(1);
  await two.change(1);
  await consume([messages[1]!]);
  expect([pushes.toSorted(), await waiting()]).toEqual([[one.passId, two.passId].toSorted(), 0]);
  await consume([messages[0]!]);
  expect(counts()).toEqual([2, 2]);
});

test('a message of an earlier build, which names the passes: each gets its push, once', async () => {
  const { change, accountId, passId } = await scene();
  holdMessages();
  await change(1);
  await service.rows('update requested_pushes set claim = null, attempts = 0');
  await consume([{ type: 'fan-out-events', accountId, passIds: [passId] }]);
  await service.until(async () => pushes.length > 0, 0);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
});

test('the account moves while Apple receives the push: it is not sent again', async () => {
  const { change, accountId } = await scene();
  meanwhile = async () => {
    meanwhile = async () => {};
    await service.admin('account move', { id: accountId, to: 'DB' });
  };
  await change(1);
  await service.until(async () => pushes.length > 0);
  await service.minutes(30);
  expect([...counts(), await waiting()]).toEqual([1, 1, 0]);
});
