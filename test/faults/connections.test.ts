import { generateKeyPairSync } from 'node:crypto';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* A Worker may have six simultaneous connections. Further ones wait while their timers run. */

const PASS_TYPE_ID = 'pass.com.example.connections';
const ACCOUNTS = 10;

let service: ServiceInProcess;
const open = { now: 0, most: 0 };
const asked: string[] = [];
/** Called with the host name of a request before its answer. */
let meanwhile: (hostname: string) => unknown;

let image: Uint8Array<ArrayBuffer>;

beforeEach(async () => {
  const picture = { create: { width: 100, height: 100, channels: 3, background: '#1d3557' } } as const;
  image = new Uint8Array(await sharp(picture).png().toBuffer());
  Object.assign(open, { now: 0, most: 0 });
  asked.length = 0;
  meanwhile = () => {};
  service = await new ServiceInProcess({ databases: 2 }).open();
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const id = await service.importCertificate(PASS_TYPE_ID);
  await service.admin('certificate push', { id, p8: privateKey, 'key-id': 'ABCDEFGHIJ', 'team-id': 'TESTTEAM01' });
  vi.stubGlobal('fetch', async (input: string | URL) => {
    const { hostname, pathname } = new URL(input);
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    await new Promise((resolve) => setTimeout(resolve, 20));
    meanwhile(hostname);
    open.now -= 1;
    asked.push(hostname + pathname);
    return new Response(hostname.startsWith('images') ? image : '');
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  service.close();
});

/** Creates an account with a webhook and two passes on two phones each, and returns a function that changes them. */
async function account(database: string): Promise<() => Promise<void>> {
  const { accountId, apiKey } = await service.newAccount(database);
  const send = async (method: string, path: string, body: object) => {
    const reply = await service.request(method, path, body, { Authorization: apiKey });
    expect(reply.status, path).toBeLessThan(300);
    return reply.body.data;
  };
  const { identifier: templateId } = await send('POST', '/api/v2/pass-template', sampleTemplate({}));
  const target_url = `https://hooks.example.com/${accountId}`;
  await send('POST', '/api/hook/subscribe', { target_url, event: 'pass_updated' });
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) ids.push((await send('POST', '/api/v3/pass', { data: { templateId } })).identifier);
  for (const phone of ['a', 'b']) {
    await service.rows(
      `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
       select ? || id, ?, id, account_id, ? || id, 1, null from passes where account_id = ?`,
      [phone, PASS_TYPE_ID, phone, accountId],
    );
  }
  await service.rows('update passes set number_of_active = 2 where account_id = ?', [accountId]);
  return async () => {
    for (const id of ids) await send('PATCH', `/api/v3/pass/${id}`, { data: { 'Full name': 'Ada' } });
  };
}

/** Changes the passes of ten accounts in two databases. Their messages fit into one batch. */
async function changes(): Promise<void> {
  await service.minutes(1);
  const before = service.queues.sent;
  const changing: (() => Promise<void>)[] = [];
  for (let i = 0; i < ACCOUNTS; i++) changing.push(await account(i % 2 === 0 ? 'DB' : 'DB_1'));
  await service.until(async () => true);
  expect(asked).toEqual([]);
  for (const change of changing) await change();
  expect(service.queues.sent - before).toBeGreaterThanOrEqual(ACCOUNTS * 2);
}

/** Waits until everything has happened, and checks that it happened once. */
async function expectAllOnce(): Promise<void> {
  await service.until(async () => askedAt('hooks').length === ACCOUNTS * 2);
  await service.minutes(10);
  expect(askedAt('hooks')).toHaveLength(ACCOUNTS * 2);
  expect([askedAt('api.push').length, new Set(askedAt('api.push')).size]).toEqual([ACCOUNTS * 4, ACCOUNTS * 4]);
}

const askedAt = (hostname: string) => asked.filter((address) => address.startsWith(hostname));

test('a batch for 10 accounts in 2 databases never has more than 6 connections, and does everything once', async () => {
  await changes();
  await expectAllOnce();
  expect(open.most).toBeLessThanOrEqual(6);
  expect(open.most).toBeGreaterThan(3);
  expect(service.queues.types.get('push-passes') ?? 0).toBe(0);
});

test('pushes that wait for five seconds, because Apple answers slowly, get messages of their own', async () => {
  meanwhile = (hostname) => hostname.startsWith('api.push') && vi.setSystemTime(Date.now() + 1_000);
  await changes();
  await expectAllOnce();
  expect(open.most).toBeLessThanOrEqual(6);
  expect(service.queues.types.get('push-passes')).toBeGreaterThanOrEqual(ACCOUNTS - 6);
});

test('messages about passes that wait for three images each never have more than 6 connections', async () => {
  const template = sampleTemplate({
    sendoutOptions: { passCreationNotification: { subject: 'Your pass', emailTemplate: 'Here it is' } },
    images: { perPassImages: { thumbnail: true, background: true, logo: true } },
  });
  // Only the messages import the images.
  service.env.IMPORTS = { sendBatch: async () => {} } as unknown as Queue;
  const templateId = (await service.request('POST', '/api/v2/pass-template', template)).body.data.identifier;
  for (let i = 0; i < 6; i++) {
    const url = (role: string) => `https://images.example.com/${role}-${i}.png`;
    const urls = { urlToThumbnail: url('a'), urlToBackground: url('b'), urlToLogo: url('c') };
    const data = { templateId, emailRecipient: `holder-${i}@example.com`, ...urls };
    expect((await service.request('POST', '/api/v3/pass', { data })).status).toBe(200);
  }
  expect(asked).toEqual([]);
  await service.until(
    async () => (await service.count("select count(*) from outbox_items where kind = 'email'")) === 6,
  );
  expect(new Set(askedAt('images')).size).toBe(18);
  expect(open.most).toBeGreaterThan(2);
  expect(open.most).toBeLessThanOrEqual(6);
});
