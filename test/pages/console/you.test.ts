import { describe, expect, test } from 'vitest';
import { admin, freshAccount, send } from '../../support/api.ts';
import { costOf, d1 } from '../../support/control.ts';
import { OWN_FORM, visitor } from './browser-session.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Signs somebody in with another browser, and returns its cookie. */
async function anotherBrowser(email: string, userAgent: string): Promise<{ Cookie: string }> {
  const { url } = await admin<{ url: string }>('sign-in-link', { email });
  const token = new URL(url).searchParams.get('token');
  const headers = { ...OWN_FORM, 'User-Agent': userAgent };
  const reply = await send('POST', '/console/sign-in', `token=${token}`, headers);
  return { Cookie: reply.headers.getSetCookie()[0]!.split(';')[0]! };
}

const open = (cookie: { Cookie: string }) => send('GET', '/console/you', undefined, cookie);
const signOutPaths = (body: string) =>
  [...body.matchAll(/action="(\/console\/you\/sessions\/[^"]+)"/g)].map(([, path]) => path!);

describe('the sessions of a person', () => {
  test('are listed with browser, address and last use, and each can be ended', async () => {
    const me = await visitor(await freshAccount(), ['read']);
    const other = await anotherBrowser(me.email, FIREFOX);
    const { body } = await me.get('/console/you');
    expect(body).toContain('This browser');
    const row = /<tr>(?:(?!<tr>).)*Firefox on Windows.*?<\/tr>/s.exec(body)![0];
    expect(row).toMatch(/data-label="IP address">(127\.0\.0\.1|::1|Unknown)</);
    expect(row).toMatch(/data-label="Last use"><time datetime=/);
    const [path] = signOutPaths(row);
    expect((await me.post(path!)).headers.get('Location')).toBe('/console/you');
    expect((await open(other)).headers.get('Location')).toBe('/console/sign-in');
    expect((await me.get('/console/you')).body).not.toContain('Firefox on Windows');
  });

  test('include this one, and ending it leads to the sign-in page', async () => {
    const me = await visitor(await freshAccount(), ['read']);
    const other = await anotherBrowser(me.email, FIREFOX);
    const own = signOutPaths((await me.get('/console/you')).body)[0]!;
    const out = await me.post(own);
    expect([out.headers.get('Location'), out.headers.getSetCookie().at(-1)]).toEqual([
      '/console/sign-in',
      expect.stringMatching(/^session=; Max-Age=0; Path=\//),
    ]);
    expect((await me.get('/console/you')).headers.get('Location')).toBe('/console/sign-in');
    expect((await open(other)).status).toBe(200);
  });

  test('of other users are neither shown nor ended', async () => {
    const account = await freshAccount();
    const [me, other] = [await visitor(account, ['read']), await visitor(account, ['owner'])];
    const theirs = signOutPaths((await other.get('/console/you')).body);
    expect(signOutPaths((await me.get('/console/you')).body)).not.toContain(theirs[0]);
    await me.post(theirs[0]!);
    expect((await other.get('/console/you')).status).toBe(200);
  });

  test('cost no write per page: the last use is recorded once an hour', async () => {
    const me = await visitor(await freshAccount(), ['read']);
    const view = async () => (await costOf(await me.get('/console'))).rowsWritten;
    expect([await view(), await view()]).toEqual([0, 0]);
    await d1(
      'update sessions set last_used_at = last_used_at - 3600000 where user_id = (select id from users where email = ?)',
      [me.email],
    );
    expect([(await view()) > 0, await view()]).toEqual([true, 0]);
  });
});
