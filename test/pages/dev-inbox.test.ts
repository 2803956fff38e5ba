import { once } from 'node:events';
import { get as ask, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type Client, freshAccount, send } from '../support/api.ts';
import { d1, runScheduled, storedKeys } from '../support/control.ts';
import { type InboxItem, inboxOf } from '../support/dev-inbox.ts';

let client: Client;
let templateId: string;
const to = `inbox.${crypto.randomUUID()}@example.com`;
const filter = `to=${encodeURIComponent(to)}`;

beforeAll(async () => {
  client = await freshAccount();
  const mail = { subject: 'Number {userProvidedId}', emailTemplate: '<p>Hello</p>' };
  templateId = await client.createTemplate({ sendoutOptions: { passCreationNotification: mail } });
  for (let i = 1; i <= 5; i++) await client.createPass(templateId, { userProvidedId: String(i), emailRecipient: to });
});

const get = (path: string, accept?: string) => send('GET', path as '/', undefined, accept ? { Accept: accept } : {});
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the dev inbox as JSON', () => {
  test('is the reply for callers that do not accept HTML, newest first', async () => {
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { status, headers, body } = await get(`/dev/inbox?${filter}`, accept);
      expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json']);
      expect(body.items.map(({ subject }: InboxItem) => subject)).toEqual([5, 4, 3, 2, 1].map((n) => `Number ${n}`));
      expect(body.next).toBeNull();
    }
    const [item] = await inboxOf(to);
    expect(item).toMatchObject({ kind: 'email', to, text: expect.stringContaining('Hello') });
    expect(Math.abs(Date.parse(item!.at) - Date.now())).toBeLessThan(60_000);
    expect((await get(`/dev/inbox/${item!.id}`)).body).toEqual(item);
  });

  test('is paged without loss, by the address of the next page', async () => {
    const seen: number[] = [];
    let next: string | null = `/dev/inbox?${filter}&limit=2`;
    for (let page = 0; next && page < 9; page++) {
      const { body } = await get(next);
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }: InboxItem) => id));
      next = body.next;
    }
    expect(seen).toEqual((await inboxOf(to)).map(({ id }) => id));
  });

  test('can be filtered by kind', async () => {
    expect((await get(`/dev/inbox?${filter}&kind=sms`)).body.items).toEqual([]);
    expect((await get(`/dev/inbox?${filter}&kind=email`)).body.items).toHaveLength(5);
  });

  test.each(['kind=fax', 'limit=0', 'limit=501', 'before=x'])('rejects %s and names it', async (query) => {
    const { status, body } = await get(`/dev/inbox?${query}`);
    expect(status).toBe(400);
    expect(body.ErrorMessage).toContain(query.split('=')[0]);
  });

  test('is available at its old address, too', async () => {
    const { status, body } = await get(`/dev/outbox?${filter}`);
    expect(status).toBe(200);
    expect(body).toEqual((await get(`/dev/inbox?${filter}`)).body);
    expect((await get(`/dev/outbox/${body.items[0].id}`)).body).toEqual(body.items[0]);
  });

  test.each(['/dev/inbox/999999999', '/dev/inbox/999999999/mail', '/dev/inbox/1/files/9/x', '/dev/inbox/x'])(
    'has nothing at %s',
    async (path) => expect((await get(path)).status).toBe(404),
  );
});

describe('the dev inbox of a service that others can reach', () => {
  const PATHS = [
    '/dev/inbox',
    '/dev/outbox',
    '/dev/inbox/1',
    '/dev/inbox/1/mail',
    '/dev/inbox/1/files/0/x',
    '/dev/clock',
  ];

  test.each(PATHS)('has nothing at %s for them', async (path) => {
    const { origin } = inject('worker');
    const own = request(`${origin}${path}`, { Accept: 'application/json' });
    const elsewhere = request(`${origin}${path}`, { Host: 'demo.trycloudflare.com' });
    const pretending = request(`${origin}${path}`, { Host: 'localhost', 'CF-Connecting-IP': '192.168.1.33' });
    expect(await elsewhere).toEqual(await request(`${origin}/nowhere`, {}));
    expect((await pretending).status).toBe(404);
    if (path === '/dev/inbox' || path === '/dev/outbox') expect((await own).status).toBe(200);
  });

  /** Uses Node's own client, because `fetch` sets the host itself. */
  async function request(url: string, headers: Record<string, string>): Promise<{ status?: number; body: string }> {
    const [reply] = (await once(ask(url, { headers }), 'response')) as [IncomingMessage];
    return { status: reply.statusCode, body: await text(reply) };
  }
});

describe('the dev inbox as a page', () => {
  test('shows the list, and an item next to it, with a policy that runs and loads nothing', async () => {
    const [item] = await inboxOf(to);
    for (const path of [`/dev/inbox?${filter}`, `/dev/inbox/${item!.id}?${filter}`]) {
      const { headers, body } = await get(path, HTML);
      expect(headers.get('Content-Type')).toMatch(/^text\/html/);
      expect(headers.get('Vary')).toBe('Accept');
      const policy = headers.get('Content-Security-Policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|script-src/);
      expect(body).toContain('Number 5');
    }
  });

  test('shows a mail in its own sandbox', async () => {
    const [item] = await inboxOf(to);
    const page = await get(`/dev/inbox/${item!.id}`, HTML);
    expect(page.body).toMatch(/<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"/);
    const mail = await get(`/dev/inbox/${item!.id}/mail`);
    const policy = mail.headers.get('Content-Security-Policy')!;
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/);
    expect(policy).toContain("frame-ancestors 'self'");
    expect(mail.body).toContain('<p>Hello</p>');
  });

  test('escapes recipients and texts', async () => {
    const evil = '<script>alert(1)</script>';
    const mail = { subject: '{Full name}', emailTemplate: '<p>{Full name}</p>' };
    const template = await client.createTemplate({ sendoutOptions: { passCreationNotification: mail } });
    const address = `evil.${crypto.randomUUID()}@example.com`;
    await client.createPass(template, { 'Full name': evil, emailRecipient: address });
    const [item] = await inboxOf(address);
    const page = await get(`/dev/inbox/${item!.id}?to=${encodeURIComponent(evil)}`, HTML);
    expect(page.body).not.toContain('<script>');
    expect((await get(`/dev/inbox/${item!.id}/mail`)).body).not.toContain('<script>');
  });

  test('serves files as downloads', async () => {
    const [item] = await inboxOf(to);
    const file = await get(item!.attachments![0]!.url);
    expect(file.headers.get('Content-Type')).toBe('application/vnd.apple.pkpass');
    expect(file.headers.get('Content-Disposition')).toBe(`attachment; filename*=UTF-8''pass.pkpass`);
    expect(file.headers.get('X-Content-Type-Options')).toBe('nosniff');
  });
});

describe('emptying', () => {
  const form = (body: string, headers: Record<string, string>) =>
    send('POST', '/dev/inbox/delete', body, { 'Content-Type': 'application/x-www-form-urlencoded', ...headers });

  const fileKeysOf = async (id: number): Promise<string[]> => {
    const [row] = await d1<{ files: string }>('select files from outbox_items where key = ?', [id]);
    return (JSON.parse(row!.files) as { key: string }[]).map(({ key }) => key);
  };

  test('removes one item with its files, by DELETE and by the page’s form', async () => {
    const [first, second, ...rest] = await inboxOf(to);
    const keys = [...(await fileKeysOf(first!.id)), ...(await fileKeysOf(second!.id))];
    expect(keys).toHaveLength(4);
    expect((await send('DELETE', `/dev/inbox/${first!.id}`)).status).toBe(204);
    const origin = new URL(first!.source!).origin;
    const reply = await form(`key=${second!.id}`, { Origin: origin, 'Sec-Fetch-Site': 'same-origin' });
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, '/dev/inbox']);
    expect(await inboxOf(to)).toEqual(rest);
    for (const key of keys) expect(await storedKeys(key)).toEqual([]);
  });

  test('rejects a form from another site', async () => {
    const before = await inboxOf(to);
    const reply = await form('', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' });
    expect(reply.status).toBe(403);
    expect(await inboxOf(to)).toEqual(before);
  });

  test('old items is done by the cron', async () => {
    const [item, ...rest] = await inboxOf(to);
    const keys = await fileKeysOf(item!.id);
    const eightDays = 8 * 24 * 60 * 60_000;
    await d1('update outbox_items set created_at = ? where key = ?', [Date.now() - eightDays, item!.id]);
    await runScheduled();
    expect(await inboxOf(to)).toEqual(rest);
    for (const key of keys) expect(await storedKeys(key)).toEqual([]);
  });
});
