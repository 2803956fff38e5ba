import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import type { PageEnv } from './page-env.ts';

/** Returns the value of one of the service's cookies, valid or not; undefined without one. */
export function readCookie<E extends PageEnv>(c: Context<E>, name: string): string | undefined {
  return isSecure(c) ? getCookie(c, name, 'host') : getCookie(c, name);
}

/** Sets a cookie of the service for a number of seconds, or extends it. */
export function keepCookie<E extends PageEnv>(c: Context<E>, name: string, value: string, maxAge: number): void {
  setCookie(c, name, value, { ...attributes(c), maxAge });
}

/** Deletes a cookie of the service. */
export function dropCookie<E extends PageEnv>(c: Context<E>, name: string): void {
  deleteCookie(c, name, attributes(c));
}

/**
 * With https the cookies are named `__Host-…`: browsers accept such names only with Secure, for the whole host and from
 * the host itself (RFC 6265bis §4.1.3.2). Local http doesn't support secure cookies.
 */
function attributes<E extends PageEnv>(c: Context<E>): CookieOptions {
  const common: CookieOptions = { httpOnly: true, sameSite: 'Lax', path: '/' };
  return isSecure(c) ? { ...common, secure: true, prefix: 'host' } : common;
}

/** Checks the public URL, because a proxy in front of the Worker may terminate TLS. */
const isSecure = <E extends PageEnv>(c: Context<E>): boolean => c.var.ctx.baseUrl.startsWith('https:');
