import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { SESSION_DAYS } from '../domain/users/sign-in.ts';
import type { PageEnv } from './page-env.ts';

const NAME = 'session';
const DAY_SECONDS = 24 * 60 * 60;

/** The value of the browser's session cookie, whatever it is worth; undefined when there is none. */
export function readSession<E extends PageEnv>(c: Context<E>): string | undefined {
  return isSecure(c) ? getCookie(c, NAME, 'host') : getCookie(c, NAME);
}

/** Hands a session to the browser, or keeps it there for as long as one that is used now lives. */
export function keepSession<E extends PageEnv>(c: Context<E>, session: string): void {
  setCookie(c, NAME, session, { ...attributes(c), maxAge: SESSION_DAYS * DAY_SECONDS });
}

/** Takes the session from the browser. */
export function dropSession<E extends PageEnv>(c: Context<E>): void {
  deleteCookie(c, NAME, attributes(c));
}

/**
 * Over https the cookie is called `__Host-session`: browsers accept that name only with Secure, for the whole host and from the host itself (RFC 6265bis §4.1.3.2).
 * Plain http, which is local, knows no secure cookies.
 */
function attributes<E extends PageEnv>(c: Context<E>): CookieOptions {
  const common: CookieOptions = { httpOnly: true, sameSite: 'Lax', path: '/' };
  return isSecure(c) ? { ...common, secure: true, prefix: 'host' } : common;
}

/** The public address counts: a proxy in front of the Worker may end TLS. */
function isSecure<E extends PageEnv>(c: Context<E>): boolean {
  return c.var.ctx.baseUrl.startsWith('https:');
}
