import { generateKeyPairSync } from 'node:crypto';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JOB_TYPES } from '../../src/domain/jobs.ts';
import { timeOf, uuidv7 } from '../../src/platform/ids.ts';
import { answeringBatches } from '../support/google-batch.ts';
import { newRsaKeys } from '../support/rsa-keys.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/*
 * The first message of each kind is lost, and one in three of the others. One in three is delivered twice, and their
 * order is random. The cron finds the lost work.
 */

const PASS_TYPE_ID = 'pass.com.example.faults';
const GOOGLE = 'https://walletobjects.googleapis.com/walletobjects/v1/';
const rsa = newRsaKeys();

let service: ServiceInProcess;
let image: Uint8Array<ArrayBuffer>;
/** Requests that the outside world has accepted, by address, or by new object at Google. */
let accepted: string[];
/** Requests that may repeat, because they have no further effect: ends of objects, and pushes for old files. */
let isHarmlessTwice: RegExp;

beforeEach(async () => {
  accepted = [];
  isHarmlessTwice = /\/single-/;
  const picture = { create: { width: 400, height: 300, channels: 3, background: '#1d3557' } } as const;
  image = new Uint8Array(await sharp(picture).png().toBuffer());
  const attempted = new Set<string>();
  const fetch = answeringBatches((url, init) => answer(new URL(url), init, attempted));
  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => fetch(String(input), init));
  const faulty = new ServiceInProcess({ lostOneIn: 3, twiceOneIn: 3, losesFirst: true, databases: 2 });
  // Identifiers continue after those of earlier files, which may have set a later time. A recovery selects by them.
  vi.setSystemTime(Math.max(Date.now(), timeOf(uuidv7()) + 1));
  service = await faulty.open();
});
afterEach(() => {
  service.close();
  vi.unstubAllGlobals();
});

/** Answers for the outside world. Receivers of webhooks accept each delivery at the second attempt. */
function answer(url: URL, { method = 'GET', headers, body }: RequestInit, attempted: Set<string>): Response {
  if (url.hostname === 'images.example.com') return new Response(image);
  if (url.pathname.endsWith('/token')) return Response.json({ access_token: 'token', expires_in: 3_600 });
  if (url.hostname === 'hooks.example.com') {
    const delivery = `${url.href} ${(headers as Record<string, string>)['webhook-id']}`;
    const isFirst = !attempted.has(delivery);
    attempted.add(delivery);
    if (isFirst) return new Response(null, { status: 503 });
    accepted.push(delivery);
  } else if (url.hostname === 'api.push.apple.com') {
    accepted.push(url.href);
  } else if (method !== 'GET' && /Object(\/|$)/.test(url.href.slice(GOOGLE.length))) {
    const request = method === 'POST' ? `google ${JSON.parse(String(body)).id}` : url.href;
    // As Google does for an object that exists.
    if (method === 'POST' && accepted.includes(request)) return new Response(null, { status: 409 });
    accepted.push(request);
  }
  return Response.json({});
}

async function done(method: string, path: string, body?: object, apiKey = service.apiKey) {
  const reply = await service.request(method, path, body, { Authorization: apiKey });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Creates a template with passes. */
async function passesOf(
  count: number,
  template: Parameters<typeof sampleTemplate>[0] = {},
  fields: (i: number) => object = () => ({}),
  apiKey = service.apiKey,
): Promise<{ templateId: string; ids: string[] }> {
  const templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate(template), apiKey)).data.identifier;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    ids.push((await done('POST', '/api/v3/pass', { data: { templateId, ...fields(i) } }, apiKey)).data.identifier);
  }
  return { templateId, ids };
}

/** Creates a template with passes, each on its own phone. */
async function onPhones(count: number, token = 'phone') {
  const made = await passesOf(count);
  await service.rows('update passes set number_of_active = 1 where template_id = ?', [made.templateId]);
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'device-' || key, ?, id, account_id, ? || '-' || key, 1, null from passes where template_id = ?`,
    [PASS_TYPE_ID, token, made.templateId],
  );
  return made;
}

/** Requests pushes to single phones, as when each has registered for an old version of its pass. */
const pushToEach = (templateId: string) =>
  service.rows(
    `insert into requested_pushes (pass_id, account_id, wallet, requested_at, due_at, attempts)
     select id, account_id, 'device ${PASS_TYPE_ID} device-' || key, ?, ?, 0 from passes where template_id = ?`,
    [Date.now(), Date.now(), templateId],
  );

const own = (table: string) => service.count(`select count(*) from ${table} where account_id = ?`, [service.accountId]);

/** Work that waits in rows. */
const WAITING = [
  'select count(*) from requested_pushes',
  'select count(*) from push_fan_outs',
  'select count(*) from pass_tombstones where google_due_at is not null',
  'select count(*) from account_deletions',
  'select count(*) from template_deletions',
  'select count(*) from pass_erasures',
  'select count(*) from app_configurations where deleted_at is not null',
  'select count(*) from account_events where pending is not null',
  "select count(*) from event_deliveries where state <> 'delivered'",
  'select count(*) from webhook_subscriptions where recover_after_id is not null',
  'select count(*) from messages where due_at is not null',
  'select count(*) from processes where finished_at is null',
  "select count(*) from passes where appearance ->> '$.pendingImages' is not null",
];

async function isIdle(): Promise<boolean> {
  for (const statement of WAITING) if ((await service.count(statement)) > 0) return false;
  return true;
}

/** Publishes passes to Google Wallet, changes others there, and deletes the rest. */
async function changeAtGoogle(): Promise<void> {
  const [changed, ended] = [await passesOf(10), await passesOf(10)];
  await service.rows("update passes set google_published_at = 1, google_kind = 'generic' where template_id in (?, ?)", [
    changed.templateId,
    ended.templateId,
  ]);
  const googleIssuer = { issuerId: '3388000000012345678', clientEmail: 'a@example.com' };
  await service.admin('google-issuer import', { ...googleIssuer, privateKeyPem: (await rsa).privateKey });
  await service.minutes(2);
  // Links in the replies are for passes that Google has.
  await passesOf(10);
  for (const id of changed.ids) await done('PUT', `/api/pass/${id}`, { voided: true });
  isHarmlessTwice = new RegExp(['/single-', ...ended.ids].join('|'));
  for (const id of ended.ids) await done('DELETE', `/api/pass/${id}`);
}

/** Pushes to phones: of a notification and a publication, of changed passes, and to single devices. */
async function pushToPhones(): Promise<void> {
  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const id = await service.importCertificate(PASS_TYPE_ID);
  await service.admin('certificate push', { id, p8, 'key-id': 'A1B2C3D4E5', 'team-id': 'A1B2C3D4E5' });
  await service.minutes(2);
  const notification = { pushNotificationText: 'Doors open', publicationDate: '2026-11-01 08:00' };
  await done('POST', `/api/pass-template/${(await onPhones(120)).templateId}/notification`, notification);
  const { templateId } = await onPhones(30);
  await done('PATCH', `/api/v2/pass-template/${templateId}`, { logoText: 'New' });
  await done('POST', `/api/v2/pass-template/${templateId}/publish`);
  for (const pass of (await onPhones(20)).ids) await done('PUT', `/api/pass/${pass}`, { voided: true });
  await pushToEach((await onPhones(10, 'single')).templateId);
}

/** Deletes an app configuration with scans, and an account. */
async function deleteOthers(): Promise<string> {
  const { body } = await service.request('POST', '/api/appconfiguration', { name: 'Entrance', scanMode: 0 });
  const [{ configurationId }] = body.configuration;
  for (const passId of (await passesOf(5)).ids)
    await done('POST', '/api/appscan', { appConfigurationId: configurationId, passId });
  expect(await own('app_scans')).toBe(5);
  await done('DELETE', `/api/appconfiguration/${configurationId}`);
  const { accountId, apiKey } = await service.newAccount('DB_1');
  await passesOf(20, {}, () => ({}), apiKey);
  await service.admin('account delete', { id: accountId, confirm: 'Faults' });
  return accountId;
}

test('the first message of each kind is lost, and a third of the others: everything still happens, exactly once', async () => {
  const hook = (name: string) =>
    done('POST', '/api/hook/subscribe', {
      ...{ target_url: `https://hooks.example.com/${name}`, event: 'pass_created', retryEnabled: true },
    });
  await hook('live');
  const bulk = await passesOf(60);
  const filter = { query: { templateId: bulk.templateId } };
  await done('PATCH', '/api/v3/pass/bulk', { data: { storedValue: 1 }, filter });
  const dropped = await passesOf(60);
  await done('DELETE', `/api/pass-template/${dropped.templateId}`);
  const mail = { passCreationNotification: { subject: 'Your pass', emailTemplate: 'Here it is' } };
  await passesOf(20, { sendoutOptions: mail }, (i) => ({ emailRecipient: `holder-${i}@example.com` }));
  const pictured = { images: { perPassImages: { thumbnail: true } } };
  await passesOf(10, pictured, (i) => ({ urlToThumbnail: `https://images.example.com/${i}.png` }));
  await pushToPhones();
  const deleted = await deleteOthers();
  await hook('recovered');
  const [recovered] = await service.rows('select id from webhook_subscriptions order by rowid desc limit 1');
  await done('POST', `/api/hook/${recovered!.id}/recover`, { since: '2026-11-01T00:00:00Z' });
  await service.until(isIdle, 24 * 60);
  // Later, because links in mails publish their passes, too.
  await changeAtGoogle();
  await service.until(isIdle, 24 * 60);
  await service.minutes(60);

  const to = (start: string) => [...new Set(accepted)].filter((one) => one.startsWith(start));
  const twice = accepted.filter((one, i) => accepted.indexOf(one) !== i);
  expect(twice.filter((one) => !isHarmlessTwice.test(one))).toEqual([]);
  const created = await service.count("select count(*) from account_events where type = 'pass_created'");
  expect([to('https://hooks.example.com/live').length, to('https://hooks.example.com/recovered').length]).toEqual([
    created,
    created,
  ]);
  expect(to('https://api.push.apple.com/')).toHaveLength(180);
  expect([to('google ').length, to(GOOGLE).length]).toEqual([10, 20]);
  const events = (type: string) => service.count('select count(*) from account_events where type = ?', [type]);
  expect([await events('pass_updated'), await events('pass_deleted')]).toEqual([60 + 10, 60 + 10]);
  expect(await service.count('select count(*) from passes where stored_value = 1 and version = 2')).toBe(60);
  expect(await service.count("select count(*) from outbox_items where kind = 'email'")).toBe(20);
  expect(service.drawn).toBe(3);
  expect(await own('app_scans')).toBe(0);
  expect(await service.count('select count(*) from passes where account_id = ?', [deleted])).toBe(0);
  expect(service.queues.deadLetters).toEqual([]);
  expect([...service.queues.lostTypes].sort()).toEqual([...JOB_TYPES, 'tick'].sort());
});
