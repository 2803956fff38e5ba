import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeliveryJob, Job } from '../../src/domain/jobs.ts';
import { consumeBatch } from '../../src/jobs/queue.ts';
import { STEPS, type Watch, watched } from '../domain/account-moves/watched-database.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* An account moves while its events or images wait. The old database still has other accounts. */

let service: ServiceInProcess;
let unwatched: D1Database;
/** Paths of delivered events. */
const delivered: string[] = [];
let image: Uint8Array<ArrayBuffer>;
let areImagesServed: boolean;
let areReceiversUp: boolean;

beforeEach(async () => {
  delivered.length = 0;
  service = await new ServiceInProcess({ databases: 3 }).open();
  unwatched = databases().DB_1!;
  const picture = { create: { width: 100, height: 100, channels: 3, background: '#1d3557' } } as const;
  image = new Uint8Array(await sharp(picture).png().toBuffer());
  areImagesServed = true;
  areReceiversUp = true;
  vi.stubGlobal('fetch', async (input: string | URL) => {
    const { hostname, pathname } = new URL(input);
    if (hostname.startsWith('images')) return areImagesServed ? new Response(image) : new Response('', { status: 503 });
    if (!areReceiversUp) return new Response('', { status: 503 });
    delivered.push(pathname);
    return new Response('');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

const databases = () => service.env as unknown as Record<string, D1Database>;

/** Has `look` see each round trip of the first account's database before it. */
function watch(look: Watch): void {
  databases().DB_1 = watched(unwatched, look);
}

/** Creates an account with a webhook in a database, and returns a function that creates a pass. */
async function account(database: string, name: string) {
  const { accountId, apiKey } = await service.newAccount(database);
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const pictured = sampleTemplate({ images: { perPassImages: { thumbnail: true } } });
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', pictured);
  const hook = { target_url: `https://hooks.example.com/${name}`, event: 'pass_created', retryEnabled: true };
  await send('POST', '/api/hook/subscribe', hook);
  const create = (data: object = {}): Promise<{ identifier: string }> =>
    send('POST', '/api/v3/pass', { data: { templateId, ...data } });
  return { accountId, create };
}

/** Consumes one batch of a queue. Returns the delays of the messages that are retried, by account. */
async function consume(queue: string, jobs: (Job | DeliveryJob)[]): Promise<Record<string, number>> {
  const delays: Record<string, number> = {};
  const messages = jobs.map((body) => {
    const retry = ({ delaySeconds = 0 }: QueueRetryOptions = {}) => {
      delays[body.accountId] = delaySeconds;
    };
    return { id: crypto.randomUUID(), body, attempts: 1, timestamp: new Date(), ack: () => {}, retry };
  });
  const retryAll = (options?: QueueRetryOptions) => {
    for (const { retry } of messages) retry(options);
  };
  const after: Promise<unknown>[] = [];
  const execution = { waitUntil: (work: Promise<unknown>) => void after.push(work) };
  await consumeBatch({ queue, messages, ackAll: () => {}, retryAll } as never, service.env, execution as never);
  while (after.length > 0) await after.shift();
  return delays;
}

/** Returns the job for the due deliveries of an account. */
async function deliveryJobOf({ accountId }: { accountId: string }): Promise<DeliveryJob> {
  const find = 'select id from webhook_subscriptions where account_id = ?';
  const [found] = await service.rows<{ id: string }>(find, [accountId]);
  return { type: 'deliver-webhooks', accountId, subscriptionId: found!.id };
}

/** Moves an account from DB_1 to DB_2, and does `work` once before a step of the move. Returns its result. */
async function moveWhile<T>(accountId: string, step: keyof typeof STEPS, work: () => Promise<T>): Promise<T> {
  let working: Promise<T> | undefined;
  const look: Watch = async (statements) => {
    if (working || !STEPS[step].test(statements)) return;
    working = work();
    await working;
  };
  watch(look);
  databases().DB_2 = watched(databases().DB_2!, look);
  await service.admin('account move', { id: accountId, to: 'DB_2' });
  expect(working).toBeDefined();
  return working!;
}

test('delivers the events of other accounts at once, after an account with waiting events has moved away', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await service.minutes(2);
  await moving.create();
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  await staying.create();
  await service.until(async () => delivered.includes('/staying') && delivered.includes('/moving'), 3);
  await service.minutes(30);
  expect(delivered.toSorted()).toEqual(['/moving', '/staying']);
});

test('delivers the events of other accounts at once while a move refuses the writes of an account with waiting events', async () => {
  // The database compares the time of the refusal with its own clock.
  vi.setSystemTime(vi.getRealSystemTime());
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await moving.create();
  let minutes: number | undefined;
  watch(async (statements) => {
    if (minutes !== undefined || !STEPS.seals.test(statements)) return;
    minutes = Number.NaN;
    await staying.create();
    minutes = await service.until(async () => delivered.includes('/staying'));
  });
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  expect(minutes).toBe(0);
  expect(await service.until(async () => delivered.includes('/moving'))).toBe(0);
  await service.minutes(30);
  expect(delivered.toSorted()).toEqual(['/moving', '/staying']);
});

test('delivers the events of other accounts at once after a move died before its switch, and the account’s own after it', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  await moving.create();
  let isSealed = false;
  let isDead = false;
  watch((statements) => {
    isDead ||= isSealed;
    if (isDead) throw new Error('the command died');
    isSealed ||= STEPS.seals.test(statements);
  });
  await expect(service.admin('account move', { id: moving.accountId, to: 'DB_2' })).rejects.toThrow();
  watch(() => {});
  await staying.create();
  expect(await service.until(async () => delivered.includes('/staying'))).toBe(0);
  expect(delivered).toEqual(['/staying']);
  await service.minutes(5);
  expect(delivered).toEqual(['/staying', '/moving']);
});

/** Steps of a move, each while the old database refuses the account's writes. */
const REFUSING = [
  ['while a move refuses the writes of another account', 'seals'],
  ['while another account is sealed', 'makes the copy the account'],
] as const;

test.each(REFUSING)('sends due deliveries once, and repeats no message for them, %s', async (_, step) => {
  // The database compares the time of the refusal with its own clock.
  vi.setSystemTime(vi.getRealSystemTime());
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  areReceiversUp = false;
  await moving.create();
  // More than a run claims at once for a receiver that has failed.
  for (let i = 0; i < 10; i++) await staying.create();
  const attempted = 'select count(*) from event_deliveries where attempt_count > 0';
  await service.until(async () => (await service.count(attempted)) === 11, 0);
  await service.rows('update event_deliveries set next_attempt_at = 1');
  areReceiversUp = true;
  const jobs = await Promise.all([moving, staying].map(deliveryJobOf));
  const retried = await moveWhile(moving.accountId, step, () => consume('pass-wallet-webhooks', jobs));
  expect(retried).toEqual({ [moving.accountId]: 5 });
  expect(delivered).toEqual(Array(10).fill('/staying'));
  await service.until(async () => delivered.includes('/moving'), 2);
  await service.minutes(10);
  expect(delivered.toSorted()).toEqual(['/moving', ...Array(10).fill('/staying')]);
});

test.each(REFUSING)('keeps the failed jobs of an account, and repeats no message for them, %s', async (_, step) => {
  vi.setSystemTime(vi.getRealSystemTime());
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  const jobs = [moving, staying, staying].map(
    ({ accountId }): Job => ({ type: 'delete-pass-files', accountId, passId: crypto.randomUUID() }),
  );
  const retried = await moveWhile(moving.accountId, step, () => consume('pass-wallet-dead-letters', jobs));
  expect(retried).toEqual({ [moving.accountId]: 5 });
  const kept = 'select count(*) from dead_letters where account_id = ?';
  expect(await service.count(kept, [staying.accountId])).toBe(2);
  expect(await consume('pass-wallet-dead-letters', jobs.slice(0, 1))).toEqual({});
  expect(await service.count(kept, [moving.accountId])).toBe(1);
});

test('imports the images of other accounts on time, after an account with waiting images has moved away', async () => {
  const moving = await account('DB_1', 'moving');
  const staying = await account('DB_1', 'staying');
  areImagesServed = false;
  const passes = [];
  for (const { create } of [moving, staying]) {
    passes.push(await create({ urlToThumbnail: 'https://images.example.com/thumbnail.png' }));
  }
  await service.until(async () => true);
  await service.admin('account move', { id: moving.accountId, to: 'DB_2' });
  areImagesServed = true;
  const imported = `select count(distinct pass.id) from passes as pass, json_each(?) as named
    where pass.id = named.value and json_extract(appearance, '$.images.thumbnail') is not null`;
  const ids = JSON.stringify(passes.map(({ identifier }) => identifier));
  await service.until(async () => (await service.count(imported, [ids])) === 2, 5);
  await service.minutes(5);
  const { backlog } = await service.admin<{ backlog: Record<string, { waiting: number }> }>('status', {});
  expect(backlog.images!.waiting).toBe(0);
});
