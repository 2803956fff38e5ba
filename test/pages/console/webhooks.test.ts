import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, freshAccount } from '../../support/api.ts';
import { costOf, d1, eventually } from '../../support/control.ts';
import { type OutsideReply, openOutsideServer } from '../../support/outside-server.ts';
import { deliveriesWhen, subscribed, told } from '../../support/webhooks.ts';
import { consolePath, type Visitor, visitor } from './browser-session.ts';

/** Compressed size of a page with everything it loads. */
const PAGE_BYTES_MAX = 100_000;

let account: Client;
let owner: Visitor;
beforeAll(async () => {
  account = await freshAccount({ timezone: 'Europe/Vienna' });
  owner = await visitor(account, ['owner']);
});

/** Opens a receiver that answers with `reply` until the test changes it. */
async function openReceiver(reply: OutsideReply = {}) {
  const state = { reply };
  const server = await openOutsideServer(() => state.reply);
  onTestFinished(() => server.close());
  return {
    url: `${server.origin}/hook`,
    answer(reply: OutsideReply) {
      state.reply = reply;
    },
    first: async () => (await server.received())[0]!,
  };
}

const base = () => consolePath(account, 'webhooks');
const idIn = (text: string) => /webhooks\/([0-9a-f-]{36})/.exec(text)![1]!;

/** Creates a webhook through the form. Returns its identifier, and the page that shows its secrets. */
async function create(fields: Record<string, string>): Promise<{ id: string; body: string }> {
  const reply = await owner.post(base(), { event: 'pass_created', mode: 'push', retry: 'true', ...fields });
  expect(reply.status, reply.body).toBe(200);
  return { id: idIn(reply.body), body: reply.body };
}

async function isRefused(reply: { status: number; body: string }, message: string) {
  expect([reply.status, reply.body.includes(message)], reply.body).toEqual([400, true]);
}

describe('a webhook in the console', () => {
  test('is created with a secret and a token, shown once, and its test event arrives with both', async () => {
    const receiver = await openReceiver();
    const { id, body } = await create({ targetUrl: receiver.url, token: 'true', name: 'Shop <1>' });
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(body)![0];
    const token = /Access token<\/figcaption><pre[^>]*><code>([^<]+)</.exec(body)![1]!;
    const page = (await owner.get(`${base()}/${id}`)).body;
    expect(page).toContain('Shop &lt;1&gt;');
    for (const hidden of [secret, token]) expect(page).not.toContain(hidden);

    const tested = await owner.post(`${base()}/${id}/test`);
    expect(tested.status).toBe(303);
    const request = await receiver.first();
    const { headers } = request;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${request.body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(headers.authorization).toBe(`Bearer ${token}`);
    const delivery = tested.headers.get('Location') as '/';
    expect(delivery).toBe(`${base()}/${id}/deliveries/${headers['webhook-id']}`);
    const shown = await eventually(async () => {
      const { body } = await owner.get(delivery);
      return body.includes('>Delivered<') && body;
    });
    expect(shown).toContain('This is a test event');
    expect(shown).toContain(told(request).uniqueIdentifier);
  });

  test('shows each attempt with the receiver’s answer, and resends', async () => {
    const receiver = await openReceiver();
    receiver.answer({ status: 500, body: 'the <till> is closed' });
    const { id } = await create({ targetUrl: receiver.url, retry: '' });
    await owner.post(`${base()}/${id}/test`);
    const [failed] = await deliveriesWhen(account, id, ([first]) => first?.state === 'failed');
    const path = `${base()}/${id}/deliveries/${failed!.deliveryId}`;
    const { body } = await owner.get(path);
    expect(body).toContain('Status 500');
    expect(body).toContain('the &lt;till&gt; is closed');
    expect((await owner.get(`${base()}/${id}?state=failed`)).body).toContain(failed!.deliveryId);
    expect((await owner.get(`${base()}/${id}?state=waiting`)).body).not.toContain(failed!.deliveryId);
    expect((await owner.get(base())).body).toMatch(/>Failing</);

    receiver.answer({ status: 204 });
    expect((await owner.post(`${path}/resend`)).headers.get('Location')).toBe(path);
    await deliveriesWhen(account, id, ([first]) => first?.state === 'delivered' && first.attempts.length === 2);
    expect((await owner.get(`${base()}/${id}?state=failed`)).body).toContain('No failed deliveries');
  });

  test('is paused, resumed, and recovers what it missed in a period in the account’s time zone', async () => {
    const receiver = await openReceiver();
    const { id } = await create({ targetUrl: receiver.url });
    const template = await account.createTemplate();
    expect((await owner.get(`${base()}/${id}/pause`)).body).toContain('Deliveries and retries stop until you resume');
    expect((await owner.post(`${base()}/${id}/pause`)).headers.get('Location')).toBe(`${base()}/${id}?done=pause`);
    const missed = await account.createPass(template);
    await isRefused(await owner.post(`${base()}/${id}/test`), 'is paused; resume it first');
    expect((await owner.get(`${base()}/${id}`)).body).toContain('Deliveries stop while the webhook is paused');
    await owner.post(`${base()}/${id}/resume`);
    const since = localMinute(Date.now() - 3_600_000);
    await isRefused(
      await owner.post(`${base()}/${id}/recover`, { since, until: '2000-01-01T00:00' }),
      `value="${since}"`,
    );
    await isRefused(await owner.post(`${base()}/${id}/recover`, { since: 'soon' }), 'From: must be a date');
    expect((await owner.post(`${base()}/${id}/recover`, { since })).status).toBe(303);
    expect(told(await receiver.first()).identifier).toBe(missed.identifier);
  });

  test('gets a new secret, which is shown once, while the old one still signs', async () => {
    const receiver = await openReceiver();
    const { id, body } = await create({ targetUrl: receiver.url });
    expect((await owner.get(`${base()}/${id}/rotate`)).body).toContain('For 24 hours');
    const rotated = await owner.post(`${base()}/${id}/rotate`);
    const [old, fresh] = [body, rotated.body].map((text: string) => /whsec_[A-Za-z0-9+/=]+/.exec(text)![0]);
    expect(fresh).not.toBe(old);
    await owner.post(`${base()}/${id}/test`);
    expect(String((await receiver.first()).headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  test('is deleted after a confirmation', async () => {
    const { id } = await create({ targetUrl: 'https://gone.example.com/hook' });
    expect((await owner.get(`${base()}/${id}/delete`)).body).toContain('You can’t undo this');
    expect((await owner.post(`${base()}/${id}/delete`)).headers.get('Location')).toBe(base());
    expect((await owner.get(`${base()}/${id}`)).status).toBe(404);
    expect((await owner.get(base())).body).not.toContain('gone.example.com');
  });

  test('stores events until they are fetched, in pull mode', async () => {
    const template = await account.createTemplate({ name: 'Pulled' });
    const { id } = await create({ mode: 'pull', event: 'pass_voided', template });
    const tested = await owner.post(`${base()}/${id}/test`);
    expect((await owner.get(tested.headers.get('Location') as '/')).body).toContain('Waiting to be fetched');
    await eventually(async () => (await owner.get(`${base()}/${id}`)).body.includes('Not acknowledged</dt><dd>1<'));
    expect((await owner.get(`${base()}/${id}`)).body).toContain('also records <code>app_scan_created</code>');
    expect((await owner.get(base())).body).toMatch(
      /pass_voided<\/a><span class="under quiet">Pulled<.*1 not acknowledged/s,
    );
  });
});

/** Formats like a `datetime-local` input, in the account's time zone. */
function localMinute(at: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: 'Europe/Vienna',
  });
  return format.format(at).replace(' ', 'T');
}

describe('the form of a new webhook', () => {
  test.each([
    [{ targetUrl: '' }, 'Endpoint URL: is required'],
    [{ targetUrl: 'http://10.0.0.1/x' }, 'Endpoint URL: '],
    [{ targetUrl: 'ftp://files.example.com/' }, 'Endpoint URL: '],
    [{ targetUrl: 'https://ok.example.com', event: 'pass_eaten' }, 'an unknown event type'],
  ])('rejects %o, keeps the input and creates nothing', async (fields, message) => {
    const own = await freshAccount();
    const visiting = await visitor(own, ['owner']);
    const path = consolePath(own, 'webhooks');
    const reply = await visiting.post(path, {
      event: 'pass_voided',
      mode: 'push',
      sign: 'true',
      name: 'Kept',
      ...fields,
    });
    await isRefused(reply, message);
    expect(reply.body).toContain('value="Kept"');
    expect(reply.body).toContain(`value="${fields.targetUrl}"`);
    expect(reply.body).toMatch(/name="sign"[^>]*checked/);
    expect((await visiting.get(path)).body).toContain('No webhooks yet');
  });
});

describe('webhooks', () => {
  test('are shown to members, and changed only by owners', async () => {
    const reader = await visitor(account, [
      'read',
      'templates.edit',
      'passes.edit',
      'api_keys.manage',
      'personal_data',
    ]);
    const { identifier: id } = await subscribed(account, 'https://seen.example.com/hook');
    const shown = await reader.get(`${base()}/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.body).not.toMatch(/<form|\/delete|\/rotate/);
    expect((await reader.get(base())).body).not.toContain('Create webhook');
    const refused = await Promise.all([
      reader.get(`${base()}/new`),
      reader.get(`${base()}/${id}/delete`),
      reader.post(base(), { event: 'pass_created', targetUrl: 'https://mine.example.com' }),
      ...['test', 'pause', 'resume', 'recover', 'rotate', 'delete'].map((verb) =>
        reader.post(`${base()}/${id}/${verb}`),
      ),
      reader.post(`${base()}/${id}/deliveries/${id}/resend`),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect((await owner.get(`${base()}/${id}`)).body).toContain('>Active<');
  });

  test('show the path of an endpoint URL, which can contain a secret, only to owners', async () => {
    const reader = await visitor(account, ['read', 'personal_data']);
    const { identifier: id } = await subscribed(account, 'https://hooks.example.com/T0/secret-in-address');
    for (const page of [base(), `${base()}/${id}`] as const) {
      const [whole, part] = await Promise.all([owner.get(page), reader.get(page)]);
      expect([page, whole.body.includes('secret-in-address')]).toEqual([page, true]);
      expect([page, part.body.includes('secret-in-address')]).toEqual([page, false]);
      expect(part.body).toContain('https://hooks.example.com<');
    }
  });

  test('are not found by other accounts', async () => {
    const stranger = await freshAccount();
    const other = await visitor(stranger, ['owner']);
    const { identifier: id } = await subscribed(account, 'https://ours.example.com/hook');
    await account.post(`/api/hook/${id}/test`);
    const event = (await d1<{ id: string }>('select id from account_events where subscription_id = ?', [id]))[0]!.id;
    for (const path of [consolePath(stranger, 'webhooks', id), `${base()}/${id}` as const]) {
      const tried = [
        await other.get(path),
        await other.get(`${path}/deliveries/${event}`),
        await other.get(`${path}/delete`),
        await other.post(`${path}/deliveries/${event}/resend`),
      ];
      for (const verb of ['test', 'pause', 'resume', 'rotate', 'delete'])
        tried.push(await other.post(`${path}/${verb}`));
      tried.push(await other.post(`${path}/recover`, { since: '2027-01-01T00:00' }));
      expect(tried.map(({ status }) => status)).toEqual(tried.map(() => 404));
    }
    expect((await owner.get(`${base()}/${id}`)).body).toContain('Send a test event');
  });

  test('are paged, like their deliveries, at a constant cost', async () => {
    const own = await freshAccount();
    const ownOwner = await visitor(own, ['owner']);
    const path = consolePath(own, 'webhooks');
    const all: string[] = [];
    for (let i = 0; i < 51; i++) {
      all.push((await subscribed(own, `https://many.example.com/${i}`, { event: 'message_sent' })).identifier);
    }
    const first = await ownOwner.get(path);
    expect(first.body).not.toContain('>https://many.example.com/0<');
    const second = await ownOwner.get(/href="([^"]*\?before=[^"]+)"/.exec(first.body)![1]!);
    expect(String(second.body).match(/<tr><th scope="row">/g)).toHaveLength(1);
    expect(second.body).toContain('>https://many.example.com/0<');

    const stylesheet = /href="(\/client\/console-styles[^"]+)"/.exec(first.body)![1]! as '/';
    const bytes = [first.body, (await ownOwner.get(stylesheet)).body].map((text) => gzipSync(text).length);
    expect(bytes[0]! + bytes[1]!).toBeLessThan(PAGE_BYTES_MAX);

    const id = all[0]!;
    await fillDeliveries(id, 'delivered', 2_000, 1);
    await fillDeliveries(id, 'failed', 60, 3_000);
    await fillDeliveries(id, 'waiting', 60, 5_000);
    for (const [state, rows] of [
      ['all', 2_120],
      ['failed', 60],
      ['waiting', 60],
    ] as const) {
      const seen = new Set<string>();
      let next: string | undefined = `${path}/${id}?state=${state}`;
      let pages = 0;
      while (next && pages++ < 60) {
        const reply: Awaited<ReturnType<typeof ownOwner.get>> = await ownOwner.get(next);
        for (const [, event] of String(reply.body).matchAll(/deliveries\/([0-9a-f-]{36})/g)) seen.add(event!);
        if (pages === 1) {
          const cost = await costOf(reply);
          expect(cost.roundTrips).toBeLessThanOrEqual(3);
          expect(cost.rowsRead, state).toBeLessThan(400);
          expect(cost.rowsWritten).toBe(0);
        }
        next = /href="([^"]*after=[^"]+)"/.exec(reply.body)?.[1]?.replaceAll('&amp;', '&');
      }
      expect(seen.size, state).toBe(rows);
    }
  });
});

/** Inserts past deliveries, numbered from `from`; several wait until the same moment. */
async function fillDeliveries(id: string, state: string, count: number, from: number): Promise<void> {
  await d1(
    `insert into event_deliveries (subscription_id, event_id, state, next_attempt_at, attempt_count, attempts, created_at)
     with recursive numbers(value) as (select ?3 union all select value + 1 from numbers where value < ?3 + ?4 - 1)
     select ?1, substr(?1, 1, 24) || printf('%012d', value), ?2, iif(?2 = 'waiting', 9000000000000 + cast(value / 7 as integer), null), 1, '[]', 1 from numbers`,
    [id, state, from, count],
  );
}
