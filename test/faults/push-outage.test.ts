import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answeringBatches } from '../support/google-batch.ts';
import { newRsaKeys } from '../support/rsa-keys.ts';
import { sampleTemplate } from '../support/samples.ts';
import { ServiceInProcess } from '../support/service-in-process.ts';

/* Apple's push service and Google Wallet answer 503 for an hour of simulated time. */

const PASS_TYPE_ID = 'pass.com.example.outage';
const PASSES = 3;
const OUTAGE_MINUTES = 60;
const DAY_MINUTES = 24 * 60;
const APPLE = 'https://api.push.apple.com/3/device/';
const GOOGLE = 'https://walletobjects.googleapis.com/walletobjects/v1/';
const LEFT = `select (select count(*) from requested_pushes) + (select count(*) from push_fan_outs)
  + (select count(*) from pass_tombstones where google_due_at is not null) as n`;
const rsa = newRsaKeys();

let service: ServiceInProcess;
let templateId: string;
let passIds: string[];
let isOut: boolean;
/** Times of failed requests. Passes that are sent together share the request for their class. */
let failedAt: Set<number>;
/** Accepted requests by device, or by object at Google. */
let accepted: Map<string, number>;

beforeEach(async () => {
  [isOut, failedAt, accepted] = [false, new Set(), new Map()];
  const fetch = answeringBatches(answer);
  vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => fetch(String(input), init));
  service = await new ServiceInProcess().open();
  templateId = (await done('POST', '/api/v2/pass-template', sampleTemplate())).data.identifier;
  passIds = [];
  for (let i = 0; i < PASSES; i++) {
    passIds.push((await done('POST', '/api/v3/pass', { data: { templateId } })).data.identifier);
  }
  await service.minutes(2);
});
afterEach(() => {
  service.close();
  vi.unstubAllGlobals();
});

async function done(method: string, path: string, body?: object) {
  const reply = await service.request(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

function answer(url: string, { method = 'GET', body }: RequestInit = {}): Response {
  if (url.endsWith('/token')) return Response.json({ access_token: 'token', expires_in: 3_600 });
  if (isOut) {
    failedAt.add(Date.now());
    return new Response(null, { status: 503 });
  }
  const isSent = url.startsWith(APPLE) || (method !== 'GET' && /Object(\/|$)/.test(url.slice(GOOGLE.length)));
  const to = method === 'POST' && !url.startsWith(APPLE) ? JSON.parse(String(body)).id : url;
  if (isSent) accepted.set(to, (accepted.get(to) ?? 0) + 1);
  return Response.json({});
}

/** Puts each pass on its own phone. */
async function onPhones(): Promise<void> {
  const p8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  const id = await service.importCertificate(PASS_TYPE_ID);
  await service.admin('certificate push', { id, p8, 'key-id': 'A1B2C3D4E5', 'team-id': 'A1B2C3D4E5' });
  await service.rows('update passes set number_of_active = 1');
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'device-' || key, ?, id, account_id, printf('%064x', key), 1, null from passes`,
    [PASS_TYPE_ID],
  );
}

/** Makes the passes known to Google. */
async function atGoogle(publishedAt: number | null = 1): Promise<void> {
  await service.admin('google-issuer import', {
    issuerId: '3388000000012345678',
    clientEmail: 'a@example.com',
    privateKeyPem: (await rsa).privateKey,
  });
  await service.rows('update passes set google_published_at = ?', [publishedAt]);
}

/** Requests pushes that no request of the API makes alone. */
const request = (wallet: string) =>
  service.rows(
    `insert into requested_pushes (pass_id, account_id, wallet, requested_at, due_at, attempts)
     select id, account_id, ${wallet}, ?, ?, 0 from passes`,
    [Date.now(), Date.now()],
  );

async function change(): Promise<void> {
  for (const id of passIds) await done('PUT', `/api/pass/${id}`, { voided: true });
}

describe('while push services answer 503 for an hour, no job fails, and then each gets one push', () => {
  test.each<[string, () => Promise<void>, () => Promise<unknown>]>([
    ['devices of changed passes', onPhones, change],
    [
      'devices of passes with a notification of their template',
      onPhones,
      () =>
        done('POST', `/api/pass-template/${templateId}/notification`, {
          pushNotificationText: 'Doors open',
          publicationDate: '2026-01-31 08:15',
        }),
    ],
    ['devices with an old file', onPhones, () => request(`'device ${PASS_TYPE_ID} device-' || key`)],
    ['objects at Google of changed passes', atGoogle, change],
    ['new objects at Google', () => atGoogle(null), () => request(`'publication'`)],
    [
      'objects at Google of deleted passes',
      atGoogle,
      async () => {
        await service.rows("update passes set google_kind = 'generic'");
        for (const id of passIds) await done('DELETE', `/api/pass/${id}`);
      },
    ],
  ])('%s', async (_, prepare, begin) => {
    await prepare();
    isOut = true;
    await begin();
    await service.minutes(OUTAGE_MINUTES);
    expect(failedAt.size).toBeGreaterThan(7);
    expect(accepted.size).toBe(0);
    isOut = false;
    await service.until(async () => (await service.count(LEFT)) === 0, DAY_MINUTES);
    expect([...accepted.values()]).toEqual(Array(PASSES).fill(1));
    expect(service.queues.deadLetters).toEqual([]);
  });
});

test('a push that fails because of our own error becomes a failed job', async () => {
  await onPhones();
  await service.rows(`update certificates set push = json_set(push, '$.keySealed', 'unreadable')`);
  await change();
  await service.minutes(10);
  expect(service.queues.deadLetters).toContainEqual(expect.objectContaining({ type: 'push-passes' }));
});
