import sharp from 'sharp';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sampleTemplate } from '../support/samples.ts';
import { type Faults, ServiceInProcess } from '../support/service-in-process.ts';

/*
 * One in three messages of each queue is lost, one in three is delivered twice, and their order is random. The cron
 * finds the lost work. Time is simulated.
 */

const PASS_TYPE_ID = 'pass.com.example.faults';
const UNRELIABLE: Faults = { lostOneIn: 3, twiceOneIn: 3 };

let service: ServiceInProcess;
/** Messages that were lost before the work of the test. */
let lostBefore = 0;
afterEach(() => {
  expect(service.queues.deadLetters).toEqual([]);
  expect(service.queues.lost).toBeGreaterThan(lostBefore);
  lostBefore = 0;
  service.close();
});

async function done(method: string, path: string, body?: object, headers?: Record<string, string>) {
  const reply = await service.request(method, path, body, headers);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function opened(fields: Parameters<typeof sampleTemplate>[0] = {}): Promise<string> {
  service = await new ServiceInProcess(UNRELIABLE).open();
  return (await done('POST', '/api/v2/pass-template', sampleTemplate(fields))).data.identifier;
}

async function newPasses(templateId: string, number: number, fields: (i: number) => object = () => ({})) {
  const ids: string[] = [];
  for (let i = 0; i < number; i++) {
    ids.push((await done('POST', '/api/v3/pass', { data: { templateId, ...fields(i) } })).data.identifier);
  }
  return ids;
}

/** Creates passes in one process, which takes a fraction of the time of single requests, and waits for its end. */
async function crowd(templateId: string, number: number): Promise<string[]> {
  const passes = Array.from({ length: number }, () => ({}));
  const { data } = await done('POST', '/api/v3/pass/bulk/create', { templateId, passes });
  const state = async () => (await done('GET', `/api/v3/process/${data.processId}`)).data;
  await service.until(async () => (await state()).status === 'finished');
  lostBefore = service.queues.lost;
  const rows = await service.rows<{ id: string }>('select id from passes where template_id = ?', [templateId]);
  expect(rows).toHaveLength(number);
  return rows.map(({ id }) => id);
}

/** Returns the number of items of a kind that were sent, and of different recipients. */
async function sentOf(kind: string) {
  const [row] = await service.rows<{ items: number; recipients: number }>(
    'select count(*) as items, count(distinct recipient) as recipients from outbox_items where kind = ?',
    [kind],
  );
  return row;
}

/** Puts each pass of the service on its own phone. */
async function putOnPhones(): Promise<string> {
  const certificateId = await service.importCertificate(PASS_TYPE_ID);
  await service.rows('update passes set number_of_active = 1');
  await service.rows(
    `insert into registrations (device_id, pass_type_id, pass_id, account_id, push_token, registered_at, ended_at)
     select 'device-' || key, ?, id, account_id, printf('%064x', key), 1, null from passes`,
    [PASS_TYPE_ID],
  );
  return certificateId;
}

describe('while messages are lost, repeated and reordered', () => {
  test('WEBHOOKS: 300 events: 300 delivered, 0 twice', async () => {
    const templateId = await opened();
    const received: string[] = [];
    vi.stubGlobal('fetch', async (_: string, { headers }: RequestInit) => {
      received.push((headers as Record<string, string>)['webhook-id']!);
      return new Response('');
    });
    await done('POST', '/api/hook/subscribe', { target_url: 'https://hooks.example.com/', event: 'pass_created' });
    await newPasses(templateId, 300);
    await service.until(async () => new Set(received).size === 300);
    await service.minutes(30);
    expect([received.length, new Set(received).size]).toEqual([300, 300]);
  });

  test('MESSAGES: 200 passes with an e-mail address: 200 mails, 0 twice', async () => {
    const passCreationNotification = { subject: 'Your pass', emailTemplate: 'Here it is' };
    const templateId = await opened({ sendoutOptions: { passCreationNotification } });
    await newPasses(templateId, 200, (i) => ({ emailRecipient: `holder-${i}@example.com` }));
    await service.until(async () => (await sentOf('email'))!.recipients === 200);
    await service.minutes(30);
    expect(await sentOf('email')).toEqual({ items: 200, recipients: 200 });
  });

  test('PUSHES: 200 changes of passes on a phone each: 200 pushes, 0 twice', async () => {
    const templateId = await opened();
    const ids = await newPasses(templateId, 200);
    await putOnPhones();
    for (const id of ids) await done('PATCH', `/api/v3/pass/${id}`, { data: { 'Full name': 'Ada' } });
    await service.until(async () => (await sentOf('apns'))!.recipients === 200);
    await service.minutes(30);
    expect(await sentOf('apns')).toEqual({ items: 200, recipients: 200 });
  });

  test('WEBHOOKS: 200 changes of passes on a phone each, in a message with their event: 200 pushes, 200 delivered, 0 twice', async () => {
    const templateId = await opened();
    const ids = await newPasses(templateId, 200);
    const id = await putOnPhones();
    await service.admin('certificate push', {
      id,
      'relay-url': 'https://relay.example.com',
      'relay-token': 'a'.repeat(32),
    });
    const [delivered, asked, pushed]: [string[], Set<string>, string[]] = [[], new Set(), []];
    // Apple accepts each push at the second attempt.
    const answer = (token: string) => {
      if (asked.has(token)) pushed.push(token);
      else asked.add(token);
      return pushed.at(-1) === token ? { outcome: 'sent' } : { outcome: 'retry', reason: '503' };
    };
    vi.stubGlobal('fetch', async (url: string | URL, { headers, body }: RequestInit) => {
      if (new URL(url).hostname === 'relay.example.com') {
        const { tokens } = JSON.parse(String(body)) as { tokens: string[] };
        return Response.json({ outcomes: tokens.map(answer) });
      }
      delivered.push((headers as Record<string, string>)['webhook-id']!);
      return new Response('');
    });
    await done('POST', '/api/hook/subscribe', { target_url: 'https://hooks.example.com/', event: 'pass_updated' });
    const before = service.queues.sent;
    for (const pass of ids) await done('PATCH', `/api/v3/pass/${pass}`, { data: { 'Full name': 'Ada' } });
    expect(service.queues.sent - before).toBe(200);
    await service.until(async () => pushed.length === 200 && new Set(delivered).size === 200);
    await service.minutes(30);
    expect([pushed.length, new Set(pushed).size]).toEqual([200, 200]);
    expect([delivered.length, new Set(delivered).size]).toEqual([200, 200]);
    expect(service.queues.types.get('push-passes')).toBeGreaterThan(0);
  });

  test('PUSHES: a notification of a template with 500 passes on phones: 500 pushes, 0 twice', async () => {
    const templateId = await opened();
    await crowd(templateId, 500);
    await putOnPhones();
    const notification = { pushNotificationText: 'Doors open', publicationDate: '2026-11-01 08:00' };
    await done('POST', `/api/pass-template/${templateId}/notification`, notification);
    await service.until(async () => (await sentOf('apns'))!.recipients === 500);
    await service.minutes(30);
    expect(await sentOf('apns')).toEqual({ items: 500, recipients: 500 });
  });

  test('IMPORTS: 50 passes with an image on a server: 50 show it, 50 events, 3 sizes drawn, 0 passes wait', async () => {
    const templateId = await opened({ images: { perPassImages: { thumbnail: true } } });
    const image = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#1d3557' } })
      .png()
      .toBuffer();
    vi.stubGlobal('fetch', async () => new Response(new Uint8Array(image)));
    await newPasses(templateId, 50, (i) => ({ urlToThumbnail: `https://images.example.com/${i}.png` }));
    const shown = "select count(*) from passes where appearance ->> '$.images.thumbnail.sha256' is not null";
    await service.until(async () => (await service.count(shown)) === 50);
    const events = "select count(*) from account_events where type = 'pass_updated'";
    expect(await service.count("select count(*) from passes where appearance ->> '$.pendingImages' is not null")).toBe(
      0,
    );
    expect([await service.count(events), service.drawn]).toEqual([50, 3]);
  });

  test('IMPORTS: 20 passes while the service of images fails for minutes: 20 show their image, 0 errors', async () => {
    const templateId = await opened({ images: { perPassImages: { thumbnail: true } } });
    const image = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#1d3557' } })
      .png()
      .toBuffer();
    vi.stubGlobal('fetch', async () => new Response(new Uint8Array(image)));
    const { IMAGES } = service.env;
    let failures = 0;
    const input = () => {
      failures += 1;
      throw Object.assign(new Error('Unexpected error response 503: '), { code: 9523 });
    };
    service.env.IMAGES = { input } as unknown as ImagesBinding;
    await newPasses(templateId, 20, (i) => ({ urlToThumbnail: `https://images.example.com/${i}.png` }));
    await service.minutes(3);
    expect(failures).toBeGreaterThan(20);
    service.env.IMAGES = IMAGES;
    const shown = "select count(*) from passes where appearance ->> '$.images.thumbnail.sha256' is not null";
    await service.until(async () => (await service.count(shown)) === 20);
    const left =
      "select count(*) from passes where instr(appearance, 'importErrors') or instr(appearance, 'pendingImages')";
    expect(await service.count(left)).toBe(0);
  });

  test('JOBS: a bulk update of 500 passes: 500 changed, 500 events, 0 failed', async () => {
    const templateId = await opened();
    const identifiers = await crowd(templateId, 500);
    const update = { data: { storedValue: 1 }, filter: { identifiers } };
    const { data } = await done('PATCH', '/api/v3/pass/bulk', update);
    const state = async () => (await done('GET', `/api/v3/process/${data.processId}`)).data;
    await service.until(async () => (await state()).status !== 'in progress');
    expect(await state()).toMatchObject({ current: 500, total: 500, status: 'finished' });
    const changed = 'select count(*) from passes where version = 2 and stored_value = 1';
    expect(await service.count(changed)).toBe(500);
    expect(await service.count("select count(*) from account_events where type = 'pass_updated'")).toBe(500);
  });

  test('JOBS: a deleted template with 500 passes: 500 events, nothing left', async () => {
    const templateId = await opened();
    await crowd(templateId, 500);
    await done('DELETE', `/api/pass-template/${templateId}`);
    const isOver = async () => (await service.count('select count(*) from template_deletions')) === 0;
    await service.until(isOver);
    expect(await service.count('select count(*) from passes')).toBe(0);
    expect(
      await service.rows(
        "select count(*) as events, count(distinct pass_id) as passes from account_events where type = 'pass_deleted'",
      ),
    ).toEqual([{ events: 500, passes: 500 }]);
  });
});
