import { beforeAll, describe, expect, inject, test } from 'vitest';
import { freshAccount, type Reply, send } from '../support/api.ts';
import { d1 } from '../support/control.ts';
import { copyRow } from '../support/copy-row.ts';
import { openFrontPageDemo, sendDemoForm } from '../support/front-page-demo.ts';

/* The demo on a local service's front page; deployed-messages checks that a deployment has none. */

const { origin } = inject('worker');
const submit = (path: string, fields: Record<string, string> = {}, headers?: Record<string, string>) =>
  sendDemoForm(origin, path, fields, headers);

let accountId: string;
beforeAll(async () => {
  await openFrontPageDemo();
  const [row] = await passRows(await create('demo-generic'));
  accountId = row!.account_id;
});

async function create(template = 'demo-event-ticket', name = 'Ada Lovelace'): Promise<string> {
  const { status, headers, body } = await submit('/passes', { template, name });
  expect([status, body]).toEqual([303, undefined]);
  const [, id] = /^\/\?demo=([0-9a-f-]{36})#demo$/.exec(headers.get('Location')!)!;
  return id!;
}

const passRows = (id: string) =>
  d1<{ account_id: string; user_provided_id: string }>('select account_id, user_provided_id from passes where id = ?', [
    id,
  ]);
const countPasses = async () => {
  const [row] = await d1<{ count: number }>('select count(*) as count from passes where account_id = ?', [accountId]);
  return row!.count;
};

/** Returns what the front page shows of a pass. */
async function shown(id: string) {
  const body = String((await send('GET', `/?demo=${id}`)).body);
  const feed = /<ol class="demo-feed".*?<\/ol>/s.exec(body)?.[0] ?? '';
  return {
    card: /<article class="card .*?<\/article>/s.exec(body.slice(body.indexOf('id="demo-card"')))?.[0] ?? '',
    feed: [...feed.matchAll(/<span>(.*?)<\/span>/g)].map(([, text]) => text!.replaceAll(/<[^>]+>/g, '')),
    page: /<a href="([^"]+)" target="_blank"/.exec(body)?.[1],
    text: body,
  };
}

describe('the demo of the front page', () => {
  test.each([
    ['demo-boarding-pass', 'gate B7', 'B7'],
    ['demo-event-ticket', 'seat 42', '42'],
    ['demo-store-card', '250 beans', '250'],
    ['demo-generic', '3 guests', '3'],
  ])('creates a pass of %s like any caller, and changes it: %s', async (template, _value, value) => {
    const id = await create(template, 'Grace Hopper');
    const before = await shown(id);
    expect(before.card).toContain('Grace Hopper');
    expect(before.feed.at(-1)).toBe('Created');
    const download = await send('GET', before.page as '/');
    expect([download.status, String(download.body).includes('Grace Hopper')]).toEqual([200, true]);

    const reply = await submit(`/passes/${id}/change`, { value });
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, `/?demo=${id}#demo`]);
    const { card, feed } = await shown(id);
    expect(card).toContain(`<bdi>${value}</bdi>`);
    expect(feed.find((text) => text.startsWith('Changed'))).toMatch(/^Changed by demo@example\.com: .+ · version 2$/);
  });

  test('scans a pass once, and again when it is restored', async () => {
    const id = await create();
    for (const action of ['scan', 'scan', 'restore', 'void']) {
      expect((await submit(`/passes/${id}/${action}`)).status, action).toBe(303);
    }
    const { card, feed } = await shown(id);
    expect(card).toContain('Voided');
    const scans = feed.filter((text) => text.startsWith('Scanned'));
    expect(scans).toEqual(['Scanned: voided · Front page', 'Scanned and accepted · Front page']);
    expect(feed.filter((text) => /^(Voided|Restored)/.test(text)).map((text) => text.split(' ')[0])).toEqual([
      'Voided',
      'Restored',
      'Voided',
    ]);
  });

  test('escapes what a visitor types', async () => {
    const { text, card } = await shown(await create('demo-generic', '<img src=x onerror=go()>'));
    expect(card).toContain('&lt;img src=x');
    expect(text).not.toContain('<img src=x');
  });

  test('allows its own script and its page’s forms, and is not cached', async () => {
    const { headers, body } = await send('GET', '/');
    const policy = headers.get('Content-Security-Policy')!;
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*script-src 'self'; connect-src 'self'$/);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect([headers.get('Referrer-Policy'), headers.get('Cache-Control')]).toEqual([
      'same-origin',
      'private, no-store',
    ]);
    expect(String(body).match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script type="module" src="\/client\//),
    ]);
  });
});

describe('a request to the demo', () => {
  test.each<[string, Record<string, string>]>([
    ['a page elsewhere', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of another port', { Origin: 'http://127.0.0.1:1', 'Sec-Fetch-Site': 'same-site' }],
    ['a page that hides its origin', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    [
      'a form of plain text elsewhere',
      { Origin: 'https://evil.example', 'Content-Type': 'text/plain', 'Sec-Fetch-Site': '' },
    ],
  ])('of %s is rejected, and changes nothing', async (_whose, headers) => {
    const id = await create();
    const before = [await countPasses(), (await shown(id)).feed.length];
    expect((await submit('/passes', { template: 'demo-generic', name: 'Eve' }, headers)).status).toBe(403);
    for (const action of ['change', 'scan', 'void']) {
      expect((await submit(`/passes/${id}/${action}`, { value: '9' }, headers)).status, action).toBe(403);
    }
    expect([await countPasses(), (await shown(id)).feed.length]).toEqual(before);
  });

  test('cannot be sent from other sites', async () => {
    const asked = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    const { status, headers } = await send('OPTIONS', '/dev/demo/passes', undefined, asked);
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([404, null]);
  });

  test.each<[string, Record<string, string>, string]>([
    ['another template', { template: 'demo-coupon', name: 'Eve' }, 'template: must be one of the listed templates'],
    ['no name', { template: 'demo-generic', name: ' ' }, 'name: is required'],
    ['a long name', { template: 'demo-generic', name: 'x'.repeat(41) }, 'name: must have at most 40 characters'],
  ])('with %s is rejected', async (_what, fields, message) => {
    const before = await countPasses();
    expect(await submit('/passes', fields)).toMatchObject({ status: 400, body: { ErrorMessage: message } });
    expect(await countPasses()).toBe(before);
  });

  test('is rejected with values that no form sends, or too many', async () => {
    const json = { 'Content-Type': 'application/json' };
    const body = { template: 'demo-generic', name: 'Eve' };
    expect((await send('POST', '/dev/demo/passes', body, json)).status).toBe(400);
    expect((await submit('/passes', { ...body, more: 'x'.repeat(4_096) })).status).toBe(413);
  });

  test('with a value that the template rejects changes nothing', async () => {
    const id = await create();
    const { status, body } = await submit(`/passes/${id}/change`, { value: 'window' });
    expect([status, body.ErrorMessage]).toEqual([400, expect.stringMatching(/number/)]);
    expect((await shown(id)).feed.some((text) => text.startsWith('Changed'))).toBe(false);
  });

  test('reaches no pass created elsewhere, in any account', async () => {
    const stranger = await freshAccount();
    const foreign = (await stranger.createPass(await stranger.createTemplate())).identifier;
    const own = await create();
    await d1(`update passes set user_provided_id = 'order-1' where id = ?`, [own]);
    for (const id of [foreign, own, crypto.randomUUID(), 'order-1']) {
      const replies: Reply[] = [];
      for (const action of ['change', 'scan', 'void', 'restore']) {
        replies.push(await submit(`/passes/${id}/${action}`, { value: '9' }));
      }
      expect(
        replies.map(({ status }) => status),
        id,
      ).toEqual([404, 404, 404, 404]);
      expect((await shown(id)).text).toContain('That pass is gone');
    }
  });

  test('for other machines than its own finds nothing', async () => {
    const forwarded = { 'X-Forwarded-For': '203.0.113.7' };
    expect((await submit('/passes', { template: 'demo-generic', name: 'Eve' }, forwarded)).status).toBe(404);
    expect((await send('GET', '/', undefined, forwarded)).body).not.toContain('id="demo"');
  });
});

describe('the limits of the demo', () => {
  test('are the last 20 passes', async () => {
    const first = await create();
    await Promise.all(Array.from({ length: 19 }, () => create('demo-generic')));
    expect((await passRows(first)).length).toBe(1);
    const last = await create('demo-generic');
    expect([(await passRows(first)).length, (await passRows(last)).length]).toEqual([0, 1]);
    const kept = await d1(`select id from passes where account_id = ? and user_provided_id like 'front-page-%'`, [
      accountId,
    ]);
    expect(kept).toHaveLength(20);
  });

  test('are 100 events of a pass, which then takes no further actions', async () => {
    const id = await create();
    const missing = 100 - (await shown(id)).feed.length;
    await submit(`/passes/${id}/scan`);
    const own = { id: "printf('%s-%d', id, numbers.value)", client_id: 'null' };
    await copyRow(d1, { table: 'app_scans', where: 'pass_id = ?', params: [id], rows: missing, own });
    for (const action of ['change', 'scan', 'restore']) {
      const { status, body } = await submit(`/passes/${id}/${action}`, { value: '9' });
      expect([status, body.ErrorMessage]).toEqual([409, 'This pass has 100 events. Create another one']);
    }
  });
});
