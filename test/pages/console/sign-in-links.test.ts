import { describe, expect, test } from 'vitest';
import { admin, freshAccount, type Reply, send } from '../../support/api.ts';
import { d1, eventually } from '../../support/control.ts';
import { consolePath, OWN_FORM, visitor } from './browser-session.ts';

let people = 0;

/** Creates a member of accounts with these names. */
async function memberOf(...names: string[]): Promise<string> {
  people += 1;
  const email = `link-${people}-${Date.now()}@example.com`;
  for (const name of names) {
    const { accountId } = await admin<{ accountId: string }>('account create', { name });
    await admin('user invite', { account: accountId, email, privilege: ['read'] });
  }
  return email;
}

const cookieOf = ({ headers }: Reply) => ({ Cookie: (headers.getSetCookie()[0] ?? '').split(';')[0]! });

/** Requests a link like a browser. Returns its cookie and the path in the mail. */
async function asked(email: string, cookie?: { Cookie: string }) {
  const reply = await send('POST', '/console/sign-in/link', `email=${email}`, { ...OWN_FORM, ...cookie });
  const path = await eventually(async () => {
    const mails = await d1<{ text: string }>('select text from outbox_items where recipient = ? order by rowid desc', [
      email,
    ]);
    return mails.map(({ text }) => /\/console\/sign-in\?token=\S+/.exec(text)?.[0])[0];
  });
  return { cookie: cookieOf(reply), setCookie: reply.headers.getSetCookie()[0], path: path as `/${string}` };
}

const post = (path: string, cookie?: { Cookie: string }) =>
  send('POST', '/console/sign-in', path.split('?')[1], { ...OWN_FORM, ...cookie });

describe('a link that a user requested', () => {
  test('opens in the browser that requested it', async () => {
    const { cookie, setCookie, path } = await asked(await memberOf('Alpine Trains'));
    expect(setCookie).toMatch(/^sign-in=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
    expect((await send('GET', path, undefined, cookie)).status).toBe(200);
    expect((await post(path, cookie)).headers.get('Location')).toBe('/console');
  });

  test('explains itself in another browser, reveals nothing there, and stays valid', async () => {
    const email = await memberOf('Alpine Trains');
    const { cookie, path } = await asked(email);
    const stranger = { Cookie: `sign-in=${'x'.repeat(43)}` };
    const replies = [await send('GET', path), await send('GET', path, undefined, stranger), await post(path, stranger)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 401]);
    for (const reply of replies) {
      expect(reply.body).toContain('This link belongs to another browser');
      expect(reply.body).toContain('action="/console/sign-in/link"');
      expect([reply.body.includes(email), reply.body.includes('Alpine Trains')]).toEqual([false, false]);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
    expect((await post(path, cookie)).status).toBe(303);
  });

  test('stays valid if the same browser requests another one', async () => {
    const email = await memberOf('Alpine Trains');
    const first = await asked(email);
    const second = await send('POST', '/console/sign-in/link', `email=${email}`, { ...OWN_FORM, ...first.cookie });
    expect(cookieOf(second)).toEqual(first.cookie);
    expect((await post(first.path, first.cookie)).status).toBe(303);
  });

  test('is stored without its secret', async () => {
    const { cookie, path } = await asked(await memberOf('Alpine Trains'));
    const stored = JSON.stringify(await d1('select * from sign_in_tokens'));
    for (const secret of [cookie.Cookie.split('=')[1]!, path.split('=')[1]!]) expect(stored).not.toContain(secret);
  });
});

describe('a link that somebody else made', () => {
  test('opens once in any browser, if an operator made it', async () => {
    const { url } = await admin<{ url: string }>('sign-in-link', { email: await memberOf('Alpine Trains') });
    expect((await post(url)).status).toBe(303);
    expect((await post(url)).status).toBe(401);
  });

  test('opens once in any browser, if an owner invited the user', async () => {
    const account = await freshAccount();
    const owner = await visitor(account, ['owner']);
    const email = `invited-${account.accountId}@example.com`;
    await owner.post(consolePath(account, 'members'), { email, privileges: 'read' });
    const [mail] = await d1<{ text: string }>('select text from outbox_items where recipient = ?', [email]);
    const path = /\/console\/sign-in\?token=\S+/.exec(mail!.text)![0];
    expect([(await post(path)).status, (await post(path)).status]).toEqual([303, 401]);
  });
});

describe('the page that a link opens', () => {
  test('names the address and the account', async () => {
    const email = await memberOf('Alpine Trains & Sons');
    const { url } = await admin<{ url: string }>('sign-in-link', { email });
    const { body } = await send('GET', `/console/sign-in${new URL(url).search}`);
    expect(body).toContain(`<dt>E-mail address</dt><dd>${email}</dd>`);
    expect(body).toContain('<dt>Account</dt><dd>Alpine Trains &amp; Sons</dd>');
  });

  test('names the first five of many accounts, and counts the others', async () => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];
    const { url } = await admin<{ url: string }>('sign-in-link', { email: await memberOf(...names) });
    const { body } = await send('GET', `/console/sign-in${new URL(url).search}`);
    expect(body).toContain('<dt>Accounts</dt><dd>One, Two, Three, Four, Five and 2 more</dd>');
  });

  test('of a used link offers a new one', async () => {
    const { url } = await admin<{ url: string }>('sign-in-link', { email: await memberOf('Alpine Trains') });
    await post(url);
    const { status, body } = await send('GET', `/console/sign-in${new URL(url).search}`);
    expect(status).toBe(200);
    expect(body).toContain('no longer works');
    expect(body).toContain('href="/console/sign-in"');
  });
});
