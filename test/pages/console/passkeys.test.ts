import { beforeEach, describe, expect, test } from 'vitest';
import { admin, type Client, freshAccount, send } from '../../support/api.ts';
import { d1 } from '../../support/control.ts';
import { consolePath, OWN_FORM, type Visitor, visitor } from './browser-session.ts';

/** Gives a user a passkey without a real device. */
async function withPasskey({ email }: Visitor): Promise<string> {
  const id = `passkey-of-${email}`.replaceAll(/[^\w-]/g, '-');
  const [user] = await d1<{ id: string }>('select id from users where email = ?', [email]);
  await d1('insert into passkeys values (?, ?, ?, ?, 0, ?, ?, null)', [id, user!.id, 'Laptop', 'AA', '[]', Date.now()]);
  return id;
}

/** Turns a user's session into one signed in with a passkey. */
const signedInWith = ({ email }: Visitor, id: string) =>
  d1('update sessions set passkey_id = ? where user_id = (select id from users where email = ?)', [id, email]);

const json = (path: `/${string}`, body: object, visitor?: Visitor) =>
  send('POST', path, body, { 'Sec-Fetch-Site': 'same-origin', ...visitor?.cookie });

let account: Client;
beforeEach(async () => {
  account = await freshAccount();
});

describe('an account that requires passkeys', () => {
  const require = (to: 'on' | 'off') => admin('account update', { id: account.accountId, 'require-passkey': to });

  test('is closed to anyone signed in with a link, from the next request on', async () => {
    const owner = await visitor(account, ['owner']);
    const path = consolePath(account, 'passes');
    expect((await owner.get(path)).status).toBe(200);
    expect(await require('on')).toMatchObject({ requirePasskey: true });
    const opened = await owner.get(`${path}?q=x`);
    expect([opened.status, opened.headers.get('Location')]).toEqual([
      303,
      `/console/confirm/passkey?${new URLSearchParams({ to: `${path}?q=x` })}`,
    ]);
    const sent = await owner.post(consolePath(account, 'api-keys'), { name: 'Till' });
    expect(sent.headers.get('Location')).toBe(
      `/console/confirm/passkey?${new URLSearchParams({ to: consolePath(account) })}`,
    );
    expect(await d1('select * from api_keys where account_id = ? and name = ?', [account.accountId, 'Till'])).toEqual(
      [],
    );
    await signedInWith(owner, await withPasskey(owner));
    expect((await owner.get(path)).status).toBe(200);
    await require('off');
  });

  test('does not affect other accounts of its members', async () => {
    const other = await freshAccount();
    const me = await visitor(account, ['read']);
    await admin('user invite', { account: other.accountId, email: me.email });
    await require('on');
    expect((await me.get(consolePath(other))).status).toBe(200);
    expect((await me.get(consolePath(account))).status).toBe(303);
  });

  test('asks for an existing passkey, and for a new one otherwise', async () => {
    const me = await visitor(account, ['read']);
    const asked = async () => (await me.get('/console/confirm/passkey?to=/console')).body;
    expect(await asked()).toContain('You have no passkey yet');
    await withPasskey(me);
    expect(await asked()).toContain('Use a passkey');
  });

  test('lets nobody with only access to the mail add or remove passkeys of a member who has some', async () => {
    const me = await visitor(account, ['read']);
    const id = await withPasskey(me);
    const open = async () => (await me.get('/console/you/passkeys/new')).status;
    expect(await open()).toBe(200);
    await require('on');
    expect(await open()).toBe(303);
    expect((await json('/console/you/passkeys/options', {}, me)).status).toBe(303);
    await me.post(`/console/you/passkeys/${id}/remove`);
    expect(await d1('select name from passkeys where id = ?', [id])).toEqual([{ name: 'Laptop' }]);
    await signedInWith(me, id);
    expect(await open()).toBe(200);
  });

  test('can be enabled in the console only by someone signed in with a passkey', async () => {
    const owner = await visitor(account, ['owner']);
    const path = consolePath(account, 'settings');
    const typed = {
      name: 'Test',
      timezone: 'UTC',
      language: 'en',
      logoUrl: '',
      iconUrl: '',
      replyTo: '',
      requirePasskey: 'true',
    };
    const isRequired = async () =>
      (await d1('select require_passkey as is_required from accounts where id = ?', [account.accountId]))[0]
        ?.is_required;
    const refused = await owner.post(path, typed);
    expect([refused.status, await isRequired()]).toEqual([400, 0]);
    expect(refused.body).toContain('sign in with a passkey first');
    await signedInWith(owner, await withPasskey(owner));
    expect([(await owner.post(path, typed)).status, await isRequired()]).toEqual([303, 1]);
  });
});

describe('passkeys of a person', () => {
  test('are removed after a fresh sign-in, and by nobody else', async () => {
    const [me, other] = [await visitor(account, ['read']), await visitor(account, ['owner'])];
    const id = await withPasskey(me);
    expect((await other.get(`/console/you/passkeys/${id}/remove`)).status).toBe(404);
    await other.post(`/console/you/passkeys/${id}/remove`);
    await d1(
      'update sessions set created_at = created_at - 900000 where user_id = (select id from users where email = ?)',
      [me.email],
    );
    const stale = [
      await me.get(`/console/you/passkeys/${id}/remove`),
      await me.post(`/console/you/passkeys/${id}/remove`),
    ];
    expect(stale.map(({ status }) => status)).toEqual([303, 403]);
    expect((await me.get('/console/you/passkeys/new')).status).toBe(303);
    expect(await d1('select name from passkeys where id = ?', [id])).toHaveLength(1);
  });

  test('are removed by an operator when they are lost', async () => {
    const me = await visitor(account, ['read']);
    await withPasskey(me);
    expect(await admin('user remove-passkeys', { email: me.email.toUpperCase() })).toEqual({ removed: 1 });
    expect(
      await d1('select passkeys.id from passkeys join users on users.id = user_id where email = ?', [me.email]),
    ).toEqual([]);
    await expect(admin('user remove-passkeys', { email: 'nobody@example.com' })).rejects.toThrow('Not found: --email');
  });

  test('are not offered if the service’s host is an IP address', async () => {
    const me = await visitor(account, ['read']);
    expect((await send('GET', '/console/sign-in')).body).not.toContain('data-passkey');
    expect((await me.get('/console/you')).body).not.toContain('Add passkey');
    const options = await json('/console/sign-in/passkey/options', {});
    expect([options.status, options.body]).toEqual([422, { message: expect.stringContaining('host name') }]);
  });

  test('require a form from this site', async () => {
    const foreign = { ...OWN_FORM, 'Sec-Fetch-Site': 'cross-site', Origin: 'https://elsewhere.example' };
    expect((await send('POST', '/console/sign-in/passkey', 'x', foreign)).status).toBe(403);
    expect((await json('/console/sign-in/passkey', { id: 1 })).status).toBe(400);
  });
});
