import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { consolePath, OWN_FORM, type Visitor, visitor } from './browser-session.ts';

const MINUTE_MS = 60_000;

/** Creates an owner who signed in this many minutes ago. */
async function ownerSince(account: Client, minutes: number): Promise<Visitor> {
  const owner = await visitor(account, ['owner']);
  await age(owner, minutes);
  return owner;
}

const age = ({ email }: Visitor, minutes: number) =>
  d1('update sessions set created_at = created_at - ? where user_id = (select id from users where email = ?)', [
    minutes * MINUTE_MS,
    email,
  ]);

/** Returns the path of the link in somebody's newest mail. */
const mailedLink = (email: string) =>
  eventually(async () => {
    const mails = await d1<{ text: string }>('select text from outbox_items where recipient = ? order by rowid desc', [
      email,
    ]);
    return mails.map(({ text }) => /\/console\/sign-in\?token=\S+/.exec(text)?.[0])[0];
  });

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/**
 * Requests a link on the page that requires a sign-in, and opens it like the browser. Returns the new cookie and the
 * redirect.
 */
async function confirmed(owner: Visitor, shown: Reply) {
  const action = /formaction="(\/console\/confirm\/link\?[^"]+)"/.exec(shown.body)![1]!;
  const held = [...shown.body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = held.map(([, name, value]): [string, string] => [name!, unescaped(value!)]);
  const asked = await owner.post(unescaped(action), fields);
  const link = await mailedLink(owner.email);
  const browser = asked.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('sign-in='))!
    .split(';')[0]!;
  const headers = { ...OWN_FORM, Cookie: `${owner.cookie.Cookie}; ${browser}` };
  const signedIn = await send('POST', '/console/sign-in', link.split('?')[1], headers);
  const cookie = { Cookie: signedIn.headers.getSetCookie()[0]!.split(';')[0]! };
  return { asked, fields, cookie, leadsTo: signedIn.headers.get('Location') as `/${string}` };
}

let account: Client;
beforeAll(async () => {
  account = await freshAccount();
});

describe('a sign-in of 15 minutes ago', () => {
  const asksAt = async (owner: Visitor, method: 'get' | 'post', ...parts: string[]) => {
    const reply = await owner[method](consolePath(account, ...parts));
    if (method === 'get') return [reply.status, reply.headers.get('Location')?.startsWith('/console/confirm?to=')];
    return [reply.status, /<main class="console narrow".*Confirm that it’s you/s.test(reply.body)];
  };

  test.each([
    ['passes/x/delete'],
    ['passes/segments/x/delete'],
    ['templates/x/delete'],
    ['templates/x/notifications/x/delete'],
    ['app-configurations/x/delete'],
    ['webhooks/x/delete'],
    ['webhooks/x/rotate'],
    ['bundles/dissolve'],
    ['failed-jobs/x/discard'],
    ['certificates/x/delete'],
    ['certificates/x/default'],
    ['api-keys/delete-unused'],
    ['api-keys/x/delete'],
    ['members/x'],
    ['members/x/remove'],
    ['settings/signing-key/rotate'],
  ])('must be repeated for %s, its confirmation and its form', async (path) => {
    const owner = await ownerSince(account, 15);
    expect(await asksAt(owner, 'get', path)).toEqual([303, true]);
    expect(await asksAt(owner, 'post', path)).toEqual([403, true]);
  });

  test.each([
    'passes/export',
    'scans/export.csv',
    'audit-log/export.csv',
    'templates/x/export',
    'processes/x/errors.csv',
    'passes/import/x/errors.csv',
    'certificates/new',
    'certificates/google',
    'api-keys/new',
    'members/new',
  ])('must be repeated to open %s', async (path) => {
    expect(await asksAt(await ownerSince(account, 15), 'get', path)).toEqual([303, true]);
  });

  test.each([
    'certificates',
    'certificates/google',
    'certificates/x/push',
    'api-keys',
    'api-keys/x/activate',
    'persons/find',
    'persons/export',
    'persons/erase/confirm',
    'persons/erase',
    'members',
    'settings',
    'webhooks',
  ])('must be repeated to send a form to %s', async (path) => {
    expect(await asksAt(await ownerSince(account, 15), 'post', path)).toEqual([403, true]);
  });

  test('is enough for other pages', async () => {
    const owner = await ownerSince(account, 15);
    for (const path of ['', 'passes', 'api-keys', 'members', 'certificates', 'settings', 'scans'].map((one) =>
      consolePath(account, ...(one === '' ? [] : [one])),
    )) {
      expect((await owner.get(path)).status, path).toBe(200);
    }
  });

  test('is too old, while one of 14 minutes ago is fresh', async () => {
    const owner = await ownerSince(account, 14);
    expect((await owner.get(consolePath(account, 'api-keys', 'new'))).status).toBe(200);
  });
});

describe('signing in again', () => {
  test('leads to the page that required it', async () => {
    const owner = await ownerSince(account, 20);
    const page = consolePath(account, 'members', 'new');
    const asking = await owner.get(page);
    const { leadsTo, cookie } = await confirmed(owner, await owner.get(asking.headers.get('Location')!));
    expect(leadsTo).toBe(page);
    expect((await send('GET', leadsTo, undefined, cookie)).status).toBe(200);
    expect((await owner.get('/console')).headers.get('Location')).toBe('/console/sign-in');
  });

  test('keeps the input, which is sent only once the sign-in is fresh', async () => {
    const owner = await ownerSince(account, 20);
    const typed = { name: 'Till "3" & <more>', lastDay: '', scopes: 'scans:write' };
    const names = async () =>
      (await d1('select name from api_keys where account_id = ?', [account.accountId])).map((key) => key.name);
    const before = await names();
    const held = await owner.post(consolePath(account, 'api-keys'), typed);
    const { asked, leadsTo, cookie } = await confirmed(owner, held);
    expect(leadsTo).toBe('/console/confirm/done');
    expect((await send('GET', leadsTo, undefined, cookie)).body).toContain('select Continue');
    expect(await names()).toEqual(before);
    expect(asked.body).toContain(`formaction="${consolePath(account, 'api-keys')}"`);
    expect(asked.body).toContain('name="name" value="Till &quot;3&quot; &amp; &lt;more&gt;"');
    const sent = await send('POST', consolePath(account, 'api-keys'), new URLSearchParams(typed).toString(), {
      ...OWN_FORM,
      ...cookie,
    });
    expect(sent.status).toBe(200);
    expect(await names()).toEqual(expect.arrayContaining([...before, typed.name]));
  });

  test('leads back to the form if it contained files', async () => {
    const owner = await ownerSince(account, 20);
    const form = new FormData();
    form.set('password', 'x');
    form.set('p12', new File(['p12'], 'pass.p12'));
    const encoded = new Response(form);
    const headers = {
      'Content-Type': encoded.headers.get('Content-Type')!,
      'Sec-Fetch-Site': 'same-origin',
      Referer: `http://localhost${consolePath(account, 'certificates', 'new')}`,
      ...owner.cookie,
    };
    const held = await send('POST', consolePath(account, 'certificates'), await encoded.text(), headers);
    const { asked } = await confirmed(owner, held);
    expect(asked.body).toContain(
      `<a class="button" href="${consolePath(account, 'certificates', 'new')}">Continue</a>`,
    );
  });

  test.each([
    ['another site', 'https://elsewhere.example/passes'],
    ['another site without a scheme', '//elsewhere.example/console'],
    ['a page outside the console', '/docs'],
    ['a name that begins like the console', '/console.example'],
    ['what is too long', `/console/${'x'.repeat(5_000)}`],
  ])('never leads to %s', async (_, to) => {
    const owner = await visitor(account, ['read']);
    const shown = await owner.get(`/console/confirm?${new URLSearchParams({ to })}`);
    const { leadsTo } = await confirmed(owner, shown);
    expect(leadsTo).toBe('/console');
  });
});
