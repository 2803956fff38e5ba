import { beforeAll, describe, expect, inject, test } from 'vitest';
import { admin, type Client, freshAccount, type Reply, send } from '../../support/api.ts';
import { d1, eventually, logged } from '../../support/control.ts';

const { origin } = inject('worker');
/** A browser's headers for a form of this site. */
const OWN_FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

let people = 0;
/** Creates a member of the accounts with a unique address. */
async function member(privilege: string[], ...accounts: Client[]): Promise<string> {
  people += 1;
  const email = `person-${people}-${accounts[0]?.accountId}@example.com`;
  for (const { accountId } of accounts) await admin('user invite', { account: accountId, email, privilege });
  return email;
}

async function linkFor(email: string): Promise<URL> {
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  return new URL(url);
}

const postSignIn = (token: string | null, headers: Record<string, string> = OWN_FORM) =>
  send('POST', '/console/sign-in', `token=${token}`, headers);

/** Returns the cookie of a new session, as a browser sends it. */
async function signedIn(email: string): Promise<{ Cookie: string }> {
  const reply = await postSignIn((await linkFor(email)).searchParams.get('token'));
  expect(reply.status).toBe(303);
  return { Cookie: cookieOf(reply).split(';')[0]! };
}

const cookieOf = ({ headers }: Reply) => headers.getSetCookie()[0] ?? '';

describe('signing in', () => {
  let account: Client;
  let email: string;
  beforeAll(async () => {
    account = await freshAccount();
    email = await member(['read'], account);
  });

  test('requires a click: opening the link, as mail scanners do, changes nothing', async () => {
    const link = await linkFor(email);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const opened = await send(method, `${origin}/console/sign-in${link.search}` as `http://${string}`);
      expect([opened.status, opened.headers.getSetCookie()]).toEqual([200, []]);
    }
    expect((await postSignIn(link.searchParams.get('token'))).status).toBe(303);
  });

  test('sets a cookie that scripts and other sites cannot read', async () => {
    const reply = await postSignIn((await linkFor(email)).searchParams.get('token'));
    expect(reply.headers.get('Location')).toBe('/console');
    expect(cookieOf(reply)).toMatch(/^session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test('works once', async () => {
    const token = (await linkFor(email)).searchParams.get('token');
    expect((await postSignIn(token)).status).toBe(303);
    const again = await postSignIn(token);
    expect([again.status, cookieOf(again)]).toEqual([401, '']);
    expect(again.body).toContain('no longer works');
  });

  test('rejects a form from another site, and the link stays valid', async () => {
    const token = (await linkFor(email)).searchParams.get('token');
    const { 'Content-Type': type } = OWN_FORM;
    const foreign: Record<string, string>[] = [
      { 'Content-Type': type },
      { 'Content-Type': type, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://elsewhere.example' },
      { 'Content-Type': type, 'Sec-Fetch-Site': 'same-site', Origin: 'null' },
      { 'Content-Type': 'text/plain', Origin: 'https://elsewhere.example' },
    ];
    for (const headers of foreign) {
      const refused = await postSignIn(token, headers);
      expect([refused.status, cookieOf(refused)], JSON.stringify(headers)).toEqual([403, '']);
    }
    expect((await postSignIn(token, { 'Content-Type': type, Origin: origin })).status).toBe(303);
  });

  test('reads no more than a form’s maximum size', async () => {
    const reply = await postSignIn('x'.repeat(100_000));
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([413, 'text/html; charset=UTF-8']);
  });

  test('ends the session that the browser had before', async () => {
    const first = await signedIn(email);
    const token = (await linkFor(email)).searchParams.get('token');
    await postSignIn(token, { ...OWN_FORM, ...first });
    expect((await send('GET', '/console', undefined, first)).headers.get('Location')).toBe('/console/sign-in');
  });

  test('explains without a link how to get one', async () => {
    const refused = await send('GET', '/console', undefined, { Cookie: 'session=made-up' });
    expect([refused.status, refused.headers.get('Location')]).toEqual([303, '/console/sign-in']);
    const help = await send('GET', '/console/sign-in');
    expect(help.status).toBe(200);
    expect(help.body).toContain('npm run -s admin -- sign-in-link --email');
  });

  test('mails a link to a member on request, and reveals to nobody who is one', async () => {
    const known = await member(['read'], account);
    const ask = (address: string) =>
      send('POST', '/console/sign-in/link', `email=${encodeURIComponent(address)}`, OWN_FORM);
    const unknown = `nobody-${account.accountId}@example.com`;
    const replies = [await ask(known.toUpperCase()), await ask(unknown)];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0]!.body.replaceAll(known.toUpperCase(), '')).toBe(replies[1]!.body.replaceAll(unknown, ''));
    const mailed = async (to: string) =>
      d1<{ text: string }>('select text from outbox_items where recipient = ?', [to]);
    const [mail] = await eventually(async () => {
      const found = await mailed(known);
      return found.length > 0 ? found : undefined;
    });
    const token = /token=(\S+)/.exec(mail!.text)?.[1];
    const browser = { Cookie: cookieOf(replies[0]!).split(';')[0]! };
    expect((await postSignIn(token!, { ...OWN_FORM, ...browser })).status).toBe(303);
    expect(await mailed(unknown)).toEqual([]);
  });

  test('mails at most five valid links', async () => {
    const known = await member(['read'], account);
    const asked = Array.from({ length: 12 }, () => send('POST', '/console/sign-in/link', `email=${known}`, OWN_FORM));
    await Promise.all(asked);
    const count = async () =>
      (await d1<{ n: number }>('select count(*) as n from outbox_items where recipient = ?', [known]))[0]!.n;
    await expect.poll(count).toBe(5);
  });

  test('ends everywhere at once', async () => {
    const [here, there] = [await signedIn(email), await signedIn(email)];
    const out = await send('POST', '/console/sign-out/everywhere', '', { ...OWN_FORM, ...here });
    expect(out.headers.get('Location')).toBe('/console/sign-in?ended=everywhere');
    expect((await send('GET', '/console/sign-in?ended=everywhere')).body).toContain('signed out in all browsers');
    expect((await send('GET', '/console', undefined, there)).headers.get('Location')).toBe('/console/sign-in');
  });

  test('keeps the token out of the page’s addresses, and its markup intact', async () => {
    const odd = `<b>"${email}"</b>`;
    await d1('update accounts set name = ? where id = ?', [odd, account.accountId]);
    const link = await linkFor(email);
    const { body, headers } = await send('GET', `/console/sign-in${link.search}`);
    expect(body).toContain(`value="${link.searchParams.get('token')}"`);
    expect([body.includes('&lt;b&gt;&quot;'), body.includes(odd)]).toEqual([true, false]);
    const strange = await send('GET', '/console/sign-in?token=%22%3E%3Cscript%3E');
    expect(strange.body).not.toContain('"><script>');
    expect(headers.get('Referrer-Policy')).toBe('same-origin');
    expect(headers.get('Cache-Control')).toContain('no-store');
    expect(headers.get('Content-Security-Policy')).toMatch(/^(?!.*unsafe).*script-src 'self';/);
  });

  test('ends at once when the user signs out', async () => {
    const session = await signedIn(email);
    const out = await send('POST', '/console/sign-out', '', { ...OWN_FORM, ...session });
    expect([out.status, out.headers.get('Location')]).toEqual([303, '/console/sign-in']);
    expect(cookieOf(out)).toMatch(/^session=; Max-Age=0; Path=\//);
    expect((await send('GET', '/console', undefined, session)).headers.get('Location')).toBe('/console/sign-in');
  });
});

describe('the console', () => {
  let account: Client;
  beforeAll(async () => {
    account = await freshAccount({ timezone: 'Asia/Tokyo' });
  });

  const open = async (path: `/${string}`, session: { Cookie: string }) => send('GET', path, undefined, session);
  const overview = () => `/console/accounts/${account.accountId}` as const;

  test('opens the account of a user who has only one', async () => {
    const session = await signedIn(await member(['owner'], account));
    expect((await open('/console', session)).headers.get('Location')).toBe(overview());
    const { status, body } = await open(overview(), session);
    expect(status).toBe(200);
    expect(body).toContain('<h1>Test</h1>');
    expect(body).toContain('Asia/Tokyo');
  });

  test('lists the accounts of a user who has several', async () => {
    const other = await freshAccount();
    const { status, body } = await open('/console', await signedIn(await member(['read'], account, other)));
    expect(status).toBe(200);
    for (const { accountId } of [account, other]) expect(body).toContain(`href="/console/accounts/${accountId}"`);
  });

  test('lists the templates with their number of passes and their fields', async () => {
    const session = await signedIn(await member(['read'], account));
    const templateId = await account.createTemplate({
      name: 'Concert',
      additionalProperties: [{ name: 'Seat row', type: 'text' }],
    });
    await account.createPass(templateId);
    await account.createPass(templateId);
    const path = `${overview()}/templates/${templateId}` as const;
    const { body } = await open(overview(), session);
    expect(/<tr><th scope="row"><a [^>]*>Concert<.*?<\/tr>/s.exec(body)?.[0]).toMatch(/data-label="Passes">2</s);
    expect(body).toContain(`href="${path}"`);

    const page = await open(`${path}/api`, session);
    const told = await account.get(`/api/pass-template/${templateId}?integrationStyle=true`);
    expect(told.body.length).toBeGreaterThan(0);
    for (const { key, label } of told.body) {
      expect(page.body).toContain(`<th scope="row">${label}</th><td data-label="Key"><code>${key}</code>`);
    }
  });

  test('logs route patterns, not whose page it was', async () => {
    const session = await signedIn(await member(['read'], account));
    const line = async (reply: Reply) => logged({ event: 'request', requestId: reply.headers.get('X-Request-Id') });
    expect(await line(await open(overview(), session))).toMatchObject({
      route: '/console/accounts/:account',
      account: account.accountId,
    });
    expect((await line(await open('/console/nowhere', session))).route).toBe('/console/*');
  });

  test('hides other accounts', async () => {
    const stranger = await freshAccount();
    const session = await signedIn(await member(['owner'], stranger));
    const templateId = await account.createTemplate();
    for (const path of [
      overview(),
      `/console/accounts/${account.accountId}/templates/${templateId}`,
      `/console/accounts/${stranger.accountId}/templates/${templateId}`,
      '/console/nowhere',
    ] as const) {
      expect((await open(path, session)).status, path).toBe(404);
    }
  });
});
