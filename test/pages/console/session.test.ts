import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/domain/context.ts';
import type { PageEnv } from '../../../src/pages/page-env.ts';
import { dropSession, keepSession, readSession } from '../../../src/pages/session.ts';

/** A service at `baseUrl` whose path selects what to do with the session. */
function serviceAt(baseUrl: string) {
  const app = new Hono<PageEnv>();
  app.use((c, next) => {
    c.set('ctx', { baseUrl } as Context);
    return next();
  });
  app.get('/keep', (c) => {
    keepSession(c, 'abc');
    return c.text('');
  });
  app.get('/drop', (c) => {
    dropSession(c);
    return c.text('');
  });
  app.get('/read', (c) => c.text(readSession(c) ?? 'none'));
  return {
    setCookie: async (path: string) => (await app.request(path)).headers.get('Set-Cookie'),
    read: async (cookie: string) => (await app.request('/read', { headers: { Cookie: cookie } })).text(),
  };
}

describe('the session cookie', () => {
  test('is bound to the host and secure over https', async () => {
    const { setCookie, read } = serviceAt('https://passes.example');
    expect(await setCookie('/keep')).toBe(
      '__Host-session=abc; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect(await read('__Host-session=abc')).toBe('abc');
    expect(await read('session=planted')).toBe('none');
    expect(await setCookie('/drop')).toBe('__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax');
  });

  test('is neither over plain http, where browsers would reject it', async () => {
    const { setCookie, read } = serviceAt('http://localhost:8787');
    expect(await setCookie('/keep')).toBe('session=abc; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax');
    expect(await read('session=abc')).toBe('abc');
    expect(await setCookie('/drop')).toBe('session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax');
  });
});
