import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { totp } from '../../src/platform/totp.ts';
import type { Reply } from '../support/api.ts';
import { fetchWorker } from '../support/fetch-worker.ts';
import { type OutsideRequest, openServer } from '../support/outside-server.ts';
import { missingTool, runPage, writeDemoFile } from '../support/page-commands.ts';
import { type RestartableWorker, startRestartableWorker } from '../support/restartable-worker.ts';
import { sampleTemplate, type TemplateInput } from '../support/samples.ts';
import { verify } from '../support/standard-webhooks.ts';
import { subscribed } from '../support/webhooks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SLOW = 120_000;

/** The events in the reply. */
interface Happened {
  at: string;
  type: string;
  [member: string]: unknown;
}

let worker: RestartableWorker;
beforeAll(async () => {
  worker = await startRestartableWorker({ ALLOW_LOCAL_TARGETS: 'true', LIMITS_BY_ADDRESS: 'off' }, 'localhost');
}, SLOW);
afterAll(() => worker?.close());

const at = (path: string) => `${worker.origin}${path}` as `http://${string}`;
const clock = async (): Promise<{ now: string; offsetMs: number }> =>
  (await fetchWorker(new URL(at('/dev/clock')), { method: 'GET', headers: {} })).json() as never;
const serviceNow = async () => Date.parse((await clock()).now);
const apiDate = (millis: number) => new Date(millis).toISOString().slice(0, 19).replace('T', ' ');

function post(body: unknown, headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  return fetchWorker(new URL(at('/dev/clock')), { method: 'POST', headers, body: JSON.stringify(body) });
}

async function advance(span: string): Promise<{ now: string; offsetMs: number; happened: Happened[] }> {
  const reply = await post({ advance: span });
  const body = (await reply.json()) as Awaited<ReturnType<typeof advance>>;
  expect([reply.status, body]).toEqual([200, expect.objectContaining({ isSettled: true, omitted: 0 })]);
  return body;
}

async function made<T = { identifier: string }>(asked: Promise<Reply>, status = 201): Promise<T> {
  const reply = await asked;
  expect([reply.status, reply.body]).toEqual([status, expect.anything()]);
  return reply.body.data ?? reply.body;
}

async function createTemplate(overrides: Partial<TemplateInput> = {}): Promise<string> {
  return (await made(worker.client.post(at('/api/v2/pass-template'), sampleTemplate(overrides)))).identifier;
}

const createPass = (templateId: string, data: object = {}, headers = {}) =>
  made<{ identifier: string; downloadPage: string }>(
    worker.client.post(at('/api/v3/pass?async=false'), { data: { templateId, ...data } }, headers),
    200,
  );

describe('advancing the clock', () => {
  test('runs everything that becomes due, in order and at its time', { timeout: SLOW }, async () => {
    const { client } = worker;
    await worker.admin('account update', { id: client.accountId, 'retention-expired-passes-days': '1' });
    const expiring = { expiration: { expirationDateDifferentForEachPass: true } };
    const templateId = await createTemplate(expiring);
    const start = await serviceNow();
    const [expiresAt, publishedAt] = [start + 30 * HOUR_MS, start + 50 * HOUR_MS];
    const pass = await createPass(templateId, { expirationDate: apiDate(expiresAt) });
    const path = `/api/pass-template/${templateId}/notification`;
    const push = { pushNotificationText: 'Doors open', publicationDate: apiDate(publishedAt).slice(0, 16) };
    const { notificationId } = await made<{ notificationId: string }>(client.post(at(path), push));
    const receiver = await openServer(() => ({ status: receiver.requests.length < 4 ? 500 : 200 }));
    const hook = await subscribed(client, receiver.address, { origin: worker.origin, retryEnabled: true });
    const { identifier: lasting } = await createPass(templateId);
    await receiver.received(1);

    const { happened, now, offsetMs } = await advance('4d');
    expect(offsetMs).toBe(4 * DAY_MS);
    expect(Date.parse(now) - start).toBeGreaterThanOrEqual(4 * DAY_MS);
    expect(happened.map((one) => one.at)).toEqual(happened.map((one) => one.at).sort());
    const hours = (one: Happened) => (Date.parse(one.at) - start) / HOUR_MS;
    const of = (type: string) => happened.filter((one) => one.type === type);

    // Retries follow after 5 s, 5 min and 30 min, each plus up to a fifth.
    const attempts = of('delivery');
    expect(attempts).toEqual(
      [2, 3, 4].map((attempt) =>
        expect.objectContaining({
          ...{ webhookId: hook.identifier, event: 'pass_created', attempt, accountId: client.accountId },
          ...(attempt < 4 ? { outcome: 'status_500', state: 'waiting' } : { outcome: 'delivered', state: 'delivered' }),
        }),
      ),
    );
    const [second, third, fourth] = attempts.map(hours) as [number, number, number];
    expect(third - second).toSatisfy((gap: number) => gap >= 5 / 60 && gap < 6.5 / 60);
    expect(fourth - third).toSatisfy((gap: number) => gap >= 30 / 60 && gap < 36.5 / 60);
    expect(receiver.requests).toHaveLength(4);
    expectSigned(hook.secret, receiver.requests);
    // Otherwise later advances stop at each retry of each event of later tests: hundreds of stops.
    expect((await client.delete(at(`/api/hook/${hook.identifier}`))).status).toBe(200);
    await receiver.close();

    const [expired, ...othersExpired] = of('expired');
    expect(expired).toMatchObject({ passId: pass.identifier, templateId, accountId: client.accountId });
    expect([hours(expired!), othersExpired]).toEqual([expect.closeTo(30, 2), []]);
    const [published, ...othersPublished] = of('notification');
    expect(published).toMatchObject({ id: notificationId, templateId, text: 'Doors open', version: null });
    expect([hours(published!), othersPublished]).toEqual([expect.closeTo(50, 1), []]);
    const [deleted, ...others] = of('event');
    expect([deleted, others]).toEqual([
      expect.objectContaining({ event: 'pass_deleted', passId: pass.identifier }),
      [],
    ]);
    // Retention runs once a day.
    expect(hours(deleted!)).toSatisfy((hour: number) => hour >= 54 && hour < 78.1);
    const order = [fourth, ...[expired!, published!].map(hours)];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(of('job').filter(({ status }) => status !== 'done')).toEqual([]);

    expect((await client.get(at(`/api/v3/pass/${pass.identifier}`))).status).toBe(404);
    expect((await client.get(at(`/api/v3/pass/${lasting}`))).status).toBe(200);
  });

  test('expires passes, as their pages and scans show', { timeout: SLOW }, async () => {
    const templateId = await createTemplate({ expiration: { validityInDays: 2 } });
    const pass = await createPass(templateId);
    const page = async () => (await fetch(pass.downloadPage)).text();
    const scan = await scanner();
    const { body } = await worker.client.get(at(`/api/v3/pass/${pass.identifier}`));
    expect(await page()).not.toContain('Expired');
    const { happened } = await advance('49h');
    expect(happened.filter(({ type }) => type === 'expired')).toMatchObject([{ passId: pass.identifier }]);
    expect(await page()).toContain('Expired');
    expect(await scan(body.data.barcodeValue)).toBe('expired');
  });

  test('changes codes that rotate', { timeout: SLOW }, async () => {
    const templateId = await createTemplate({ barcode: { format: 'qr', rotating: { periodSeconds: 30, digits: 6 } } });
    const pass = await createPass(templateId);
    await advance('1h');
    const page = await (await fetch(pass.downloadPage)).text();
    const text = /data-rotating="([^"]+)"/.exec(page)![1]!.replaceAll('&quot;', '"');
    const { key, value, now, ...terms } = JSON.parse(text);
    expect(Math.abs(now - (await serviceNow()))).toBeLessThan(MINUTE_MS);
    const codeAt = (millis: number) => `${value}.${totp(Buffer.from(key, 'hex'), millis, terms)}`;
    const scan = await scanner();
    expect(await scan(codeAt(Date.now()))).toBe('stale_code');
    expect(await scan(codeAt(await serviceNow()))).toBe(null);
  });

  test('forgets idempotency keys after a day', { timeout: SLOW }, async () => {
    const templateId = await createTemplate();
    const create = async () => (await createPass(templateId, {}, { 'Idempotency-Key': 'order-1' })).identifier;
    const first = await create();
    await advance('23h');
    expect(await create()).toBe(first);
    await advance('2h');
    expect(await create()).not.toBe(first);
  });

  test('finishes bulk operations, and deletes what is kept of them', { timeout: SLOW }, async () => {
    const { client } = worker;
    const passes = Array.from({ length: 60 }, (_, i) => ({ userProvidedId: `bulk-${i}` }));
    const templateId = await createTemplate();
    const { processId } = await made<{ processId: string }>(
      client.post(at('/api/v3/pass/bulk/create'), { templateId, passes }),
      202,
    );
    const noted = () => worker.read<{ n: number }>('select count(*) as n from applied_items')[0]!.n;
    await advance('30m');
    expect(noted()).toBeGreaterThan(0);
    await advance('60m');
    const { body } = await client.get(at(`/api/v3/process/${processId}`));
    expect(body.data).toMatchObject({ status: 'finished', current: 60, total: 60 });
    // An hour after it ends, triggered by its object's alarm.
    expect(noted()).toBe(0);
  });

  test.skipIf(missingTool)('does what the docs say', { timeout: SLOW }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dev-clock-'));
    writeDemoFile(folder, { baseUrl: worker.origin, apiKey: worker.client.apiKey });
    const printed = await runPage('docs/testing.md', folder);
    rmSync(folder, { recursive: true });
    expect(printed).toContain('"type": "expired"');
    expect(printed).not.toMatch(/ErrorMessage|"success": false/);
  });

  test('continues from there after a restart', { timeout: SLOW }, async () => {
    const before = await clock();
    expect(before.offsetMs).toBeGreaterThan(4 * DAY_MS);
    await worker.killAndStart();
    const after = await clock();
    expect(after.offsetMs).toBe(before.offsetMs);
    expect(Date.parse(after.now)).toBeGreaterThan(Date.parse(before.now));
    const templateId = await createTemplate();
    const { body } = await worker.client.get(at(`/api/v3/pass/${(await createPass(templateId)).identifier}`));
    expect(Date.parse(`${body.data.createdOn.replace(' ', 'T')}Z`)).toBeGreaterThan(Date.now() + 4 * DAY_MS);
  });
});

describe('the clock rejects', () => {
  test.each([
    [{ advance: 'tomorrow' }, 400, 'advance: must be a number and a unit, such as 30s, 15m, 6h, 3d or 2w'],
    [{ advance: '401d' }, 400, 'advance: must be at most 400d'],
    [{ reset: true }, 400, 'advance: is required'],
  ])('%j', async (body, status, message) => {
    const { offsetMs } = await clock();
    const reply = await post(body);
    expect([reply.status, await reply.json()]).toEqual([status, { ErrorMessage: expect.stringContaining(message) }]);
    expect((await clock()).offsetMs).toBe(offsetMs);
  });

  test.each(['text/plain', 'multipart/form-data', 'application/x-www-form-urlencoded'])(
    'requests that another site’s page can send: %s',
    async (type) => {
      const { offsetMs } = await clock();
      expect((await post({ advance: '1d' }, { 'Content-Type': type })).status).toBe(415);
      const asked = await fetch(at('/dev/clock'), { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } });
      expect(asked.headers.get('Access-Control-Allow-Origin')).toBeNull();
      expect((await clock()).offsetMs).toBe(offsetMs);
    },
  );

  test('two advances at a time', { timeout: SLOW }, async () => {
    const replies = await Promise.all([post({ advance: '1d' }), post({ advance: '1d' })]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

/** Returns a function that scans a code and returns the rejection reason. */
async function scanner(): Promise<(code: string) => Promise<string | null>> {
  const fields = { name: 'Entrance', scanMode: 1 };
  const { configuration } = await made<{ configuration: { configurationId: string }[] }>(
    worker.client.post(at('/api/appconfiguration'), fields),
  );
  const appConfigurationId = configuration[0]!.configurationId;
  return async (scannedBarcodeValue) => {
    const scanned = await worker.client.post(at('/api/appscan'), { appConfigurationId, scannedBarcodeValue });
    return scanned.body.validityReason;
  };
}

/** Receivers compare the signature's time with their own clocks. */
function expectSigned(secret: string, requests: OutsideRequest[]): void {
  for (const { headers, body } of requests) {
    expect(verify(secret, headers, body.toString())).toBe(true);
    expect(Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(300);
  }
}
