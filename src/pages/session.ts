import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { SESSION_DAYS, type Visit } from '../domain/users/begin-session.ts';
import { SIGN_IN_LINK_MINUTES } from '../domain/users/create-sign-in-link.ts';
import { randomToken } from '../platform/ids.ts';
import type { PageEnv } from './page-env.ts';

const NAME = 'session';
/** Identifies the browser that requested a sign-in link. */
const ASKED_NAME = 'sign-in';
const ASKED_BYTES = 32;
const ASKED = /^[\w-]{43}$/;
const DAY_SECONDS = 24 * 60 * 60;

/** Returns the value of the session cookie, valid or not; undefined without one. */
export function readSession<E extends PageEnv>(c: Context<E>): string | undefined {
  return isSecure(c) ? getCookie(c, NAME, 'host') : getCookie(c, NAME);
}

/** Sets the session cookie, or extends it by the lifetime of a session in use. */
export function keepSession<E extends PageEnv>(c: Context<E>, session: string): void {
  setCookie(c, NAME, session, { ...attributes(c), maxAge: SESSION_DAYS * DAY_SECONDS });
}

/** Deletes the session cookie. */
export function dropSession<E extends PageEnv>(c: Context<E>): void {
  deleteCookie(c, NAME, attributes(c));
}

/** Returns the secret of the browser that requested a sign-in link. */
export function readAsked<E extends PageEnv>(c: Context<E>): string | undefined {
  const secret = isSecure(c) ? getCookie(c, ASKED_NAME, 'host') : getCookie(c, ASKED_NAME);
  return secret !== undefined && ASKED.test(secret) ? secret : undefined;
}

/**
 * Sets the secret of a browser that requests a sign-in link, for the lifetime of the link. An existing secret is kept,
 * so that earlier links still work.
 */
export function keepAsked<E extends PageEnv>(c: Context<E>): string {
  const secret = readAsked(c) ?? randomToken(ASKED_BYTES);
  setCookie(c, ASKED_NAME, secret, { ...attributes(c), maxAge: SIGN_IN_LINK_MINUTES * 60 });
  return secret;
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

/** Returns where the request comes from: IP address and user agent. */
export function visitOf<E extends PageEnv>(c: Context<E>): Visit {
  return { userAgent: c.req.header('User-Agent'), address: c.req.header('CF-Connecting-IP') };
}
