import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, type CreatedPass, freshAccount, type Reply, send } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { unzip } from '../../wallets/apple/tools.ts';

const PIN = '47 Eleven';

let client: Client;
let templateId: string;

beforeAll(async () => {
  client = await freshAccount();
  templateId = await client.createTemplate({ downloadPinEnabled: true });
});

type Path = `/${string}`;

interface GuardedPass extends CreatedPass {
  path: Path;
}

async function guarded(fields: Record<string, unknown> = {}): Promise<GuardedPass> {
  const pass = await client.createPass(templateId, { downloadPin: PIN, 'Full name': 'Ada Lovelace', ...fields });
  return { ...pass, path: new URL(pass.linkToPassPage).pathname as Path };
}

const enter = (path: Path, pin: string, headers = {}): Promise<Reply> =>
  send('POST', path, `pin=${encodeURIComponent(pin)}`, {
    'Content-Type': 'application/x-www-form-urlencoded',
    ...headers,
  });
/** Returns the name of a pass in its cookie. */
const handleOf = ({ identifier }: CreatedPass) => createHash('sha256').update(identifier).digest('hex').slice(0, 32);
const cookieOf = ({ headers }: Reply) => ({ Cookie: headers.getSetCookie()[0]!.split(';')[0]! });

const isShown = (reply: Reply) => reply.status === 200 && String(reply.body).includes('class="card ');
const lockEnd = async (id: string) =>
  (await d1<{ end: number }>('select pin_locked_until_at as end from passes where id = ?', [id]))[0]!.end;

describe('a pass with a PIN', () => {
  test('has a page that asks for it in a plain form, and reveals nothing about the pass', async () => {
    const { path, identifier, linkToPassFile } = await guarded({ userProvidedId: 'guarded' });
    for (const address of [path, `/de${path}`, `/p/${identifier}`, `/p/${client.accountId}/guarded`] as const) {
      const reply = await send('GET', address);
      expect(reply.status).toBe(200);
      expect(reply.body).toMatch(/<form [^>]*method="post">.*<input [^>]*name="pin"/s);
      expect(reply.body).not.toContain('Ada Lovelace');
      expect(reply.body).not.toContain('barcode.svg');
      expect(reply.body).not.toContain('pkpass');
      expect(reply.body).not.toContain('pay.google.com');
      expect(reply.body).not.toContain(new URL(linkToPassFile).pathname);
      expect(reply.headers.get('Cache-Control')).toBe('private, no-store');
    }
    expect((await send('GET', `/de${path}`)).body).toContain('<h1>PIN eingeben</h1>');
  });

  test('protects code, print version and file with it', async () => {
    const { path } = await guarded();
    expect((await send('GET', `${path}/barcode.svg`)).status).toBe(404);
    expect((await send('GET', `${path}/barcode.png`)).status).toBe(404);
    expect((await send('GET', `${path}?print`)).body).toMatch(/name="pin"/);
    const file = await send('GET', `${path}/pass.pkpass`);
    expect([file.status, file.headers.get('Location')]).toEqual([303, path]);
  });

  test('opens with the PIN, and stays open for this browser', async () => {
    const { path, identifier } = await guarded();
    const reply = await enter(path, PIN);
    expect([reply.status, reply.headers.get('Location')]).toEqual([303, path]);
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/; Max-Age=1800;.*; HttpOnly; SameSite=Lax$/);
    const headers = cookieOf(reply);
    const page = await send('GET', path, undefined, headers);
    expect(isShown(page)).toBe(true);
    expect(page.body).toContain('Ada Lovelace');
    expect(isShown(await send('GET', `/de${path}`, undefined, headers))).toBe(true);
    expect((await send('GET', `${path}/barcode.svg`, undefined, headers)).status).toBe(200);
    const file = await send('GET', `${path}/pass.pkpass`, undefined, headers);
    expect(file.headers.get('Content-Type')).toBe('application/vnd.apple.pkpass');
    expect(JSON.parse(unzip(file.body).get('pass.json')!.toString()).serialNumber).toBe(identifier);
    expect(isShown(await send('GET', path))).toBe(false);
  });

  test('answers in the language and at the address of the form', async () => {
    const { path } = await guarded({ userProvidedId: 'there' });
    for (const address of [`/de${path}`, `/p/${client.accountId}/there`, `/fr/p/${client.accountId}/there`] as const) {
      expect((await enter(address, PIN)).headers.get('Location')).toBe(address);
    }
    expect((await enter(`/fr${path}`, 'no')).body).toContain('Code PIN incorrect');
  });

  test('accepts the PIN from a page that sends no referrer, and so no origin', async () => {
    const { path } = await guarded();
    expect((await enter(path, PIN, { Origin: 'null' })).status).toBe(303);
  });

  test('does not open another pass with the same PIN', async () => {
    const [one, other] = [await guarded(), await guarded()];
    const headers = cookieOf(await enter(one.path, PIN));
    expect(isShown(await send('GET', other.path, undefined, headers))).toBe(false);
    const forged = { Cookie: headers.Cookie.replace(handleOf(one), handleOf(other)) };
    expect(forged).not.toEqual(headers);
    expect(isShown(await send('GET', other.path, undefined, forged))).toBe(false);
  });

  test('closes when its PIN changes', async () => {
    const { path, identifier } = await guarded();
    const headers = cookieOf(await enter(path, PIN));
    await client.patch(`/api/v3/pass/${identifier}`, { data: { downloadPin: 'another' } });
    expect(isShown(await send('GET', path, undefined, headers))).toBe(false);
    expect((await enter(path, PIN)).status).toBe(403);
    expect((await enter(path, 'another')).status).toBe(303);
  });

  test('gives API callers links without a PIN', async () => {
    const { identifier, linkToPassFile } = await guarded();
    expect((await send('GET', linkToPassFile as Path)).status).toBe(200);
    const { qrCodeImage } = (await client.get(`/api/pass/${identifier}`)).body;
    expect((await send('GET', qrCodeImage)).headers.get('Content-Type')).toBe('image/png');
    const wrong = qrCodeImage.replace(/[\w-]{25}\.png$/, `${'x'.repeat(25)}.png`);
    expect((await send('GET', wrong)).status).toBe(404);
  });
});

describe('a pass without a PIN', () => {
  test.each([
    ['none is set', { downloadPinEnabled: true }, {}],
    ['the template does not use them', { downloadPinEnabled: false }, { downloadPin: PIN }],
  ])('opens at once: %s', async (_, template, fields) => {
    const pass = await client.createPass(await client.createTemplate(template), fields);
    expect(isShown(await send('GET', new URL(pass.linkToPassPage).pathname as Path))).toBe(true);
  });
});

describe('wrong PINs', () => {
  test('are reported as wrong, and a right one resets them', async () => {
    const { path } = await guarded();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) {
        const reply = await enter(path, `${i}`);
        expect(reply.status).toBe(403);
        expect(reply.body).toMatch(/role="alert"/);
        expect(/If the next PIN is wrong, the pass is locked temporarily/.test(reply.body)).toBe(i === 3);
        expect(reply.headers.getSetCookie()).toEqual([]);
      }
      expect((await enter(path, PIN)).status).toBe(303);
    }
  });

  test('lock the page for 15 minutes at the fifth, even for the right one', async () => {
    const { path, identifier } = await guarded();
    for (let i = 0; i < 4; i++) await enter(path, 'wrong');
    const before = Date.now();
    const fifth = await enter(path, 'wrong');
    expect(fifth.status).toBe(429);
    expect(fifth.body).toContain('in 15 minutes');
    const retryAfter = Number(fifth.headers.get('Retry-After'));
    expect(retryAfter).toBeGreaterThan(890);
    expect(retryAfter).toBeLessThanOrEqual(900);
    const end = await lockEnd(identifier);
    expect(end - before).toBeGreaterThanOrEqual(15 * 60_000);
    expect(end - Date.now()).toBeLessThanOrEqual(15 * 60_000);

    const right = await enter(path, PIN);
    expect(right.status).toBe(429);
    expect(right.headers.getSetCookie()).toEqual([]);
    const page = await send('GET', path);
    expect(page.body).toContain('<h1>Too many wrong PINs</h1>');
    expect(page.body).not.toContain('name="pin"');
    expect(await lockEnd(identifier)).toBe(end);
  });

  test('are counted from zero after the lock', async () => {
    const { path, identifier } = await guarded();
    for (let i = 0; i < 5; i++) await enter(path, 'wrong');
    await d1('update passes set pin_locked_until_at = ? where id = ?', [Date.now() - 1, identifier]);
    for (let i = 0; i < 4; i++) expect((await enter(path, 'wrong')).status).toBe(403);
    expect((await enter(path, PIN)).status).toBe(303);
    expect(await lockEnd(identifier)).toBeNull();
  });

  test('are counted exactly if fifty arrive at once', async () => {
    const { path, identifier } = await guarded();
    const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => enter(path, `guess ${i}`)));
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(4);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(46);
    const [row] = await d1('select pin_failures from passes where id = ?', [identifier]);
    expect(row).toEqual({ pin_failures: 5 });
  });

  test('lock one pass and no other, and do not change it', async () => {
    const [one, other] = [await guarded(), await guarded()];
    // Without the save link, which contains its creation second.
    const stateOf = async ({ identifier }: CreatedPass) => {
      const { walletSaveUri: _, ...data } = (await client.get(`/api/v3/pass/${identifier}`)).body.data;
      return data;
    };
    const before = await stateOf(one);
    for (let i = 0; i < 5; i++) await enter(one.path, 'wrong');
    expect((await enter(other.path, PIN)).status).toBe(303);
    expect(await stateOf(one)).toEqual(before);
  });

  test.each([
    ['empty', 'pin='],
    ['absent', 'nip=1'],
    ['nothing at all', ''],
  ])('may be %s', async (_, body) => {
    const { path } = await guarded();
    const reply = await send('POST', path, body, { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect(reply.status).toBe(403);
  });

  test('are rejected if they are very long', async () => {
    const { path } = await guarded();
    expect((await enter(path, 'x'.repeat(20_000))).status).toBe(413);
  });

  test('cost one write', async () => {
    const { path } = await guarded();
    const cost = await costOf(await enter(path, 'wrong'));
    expect(cost.rowsWritten).toBe(1);
    expect(cost.rowsRead).toBeLessThanOrEqual(16);
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  });
});

test('a PIN sent where none is needed changes nothing', async () => {
  const open = await client.createPass(templateId);
  const path = new URL(open.linkToPassPage).pathname as Path;
  const reply = await enter(path, 'any');
  expect([reply.status, reply.headers.get('Location')]).toEqual([303, path]);
  expect((await costOf(reply)).rowsWritten).toBe(0);
  expect((await enter('/p/unknown', 'any')).status).toBe(404);
});
