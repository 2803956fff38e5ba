import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { CookieOptions } from 'hono/utils/cookie';
import { SESSION_DAYS } from '../domain/users/begin-session.ts';
import { SIGN_IN_LINK_MINUTES } from '../domain/users/create-sign-in-link.ts';
import { randomToken } from '../platform/ids.ts';
import type { PageEnv } from './page-env.ts';

const NAME = 'session';
/** Tells the browser that asked for a sign-in link from others. */
const ASKED_NAME = 'sign-in';
const ASKED_BYTES = 32;
const ASKED = /^[\w-]{43}$/;
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

/** The secret of a browser that has asked for a sign-in link. */
export function readAsked<E extends PageEnv>(c: Context<E>): string | undefined {
  const secret = isSecure(c) ? getCookie(c, ASKED_NAME, 'host') : getCookie(c, ASKED_NAME);
  return secret !== undefined && ASKED.test(secret) ? secret : undefined;
}

/**
 * The secret of a browser that asks for a sign-in link, for as long as the link works; the one that it has goes on, for
 * links under way.
 */
export function keepAsked<E extends PageEnv>(c: Context<E>): string {
  const secret = readAsked(c) ?? randomToken(ASKED_BYTES);
  setCookie(c, ASKED_NAME, secret, { ...attributes(c), maxAge: SIGN_IN_LINK_MINUTES * 60 });
  return secret;
}

/**
 * Over https the cookies are called `__Host-…`: browsers accept that name only with Secure, for the whole host and from
 * the host itself (RFC 6265bis §4.1.3.2). Plain http, which is local, knows no secure cookies.
 */
function attributes<E extends PageEnv>(c: Context<E>): CookieOptions {
  const common: CookieOptions = { httpOnly: true, sameSite: 'Lax', path: '/' };
  return isSecure(c) ? { ...common, secure: true, prefix: 'host' } : common;
}

/** The public address counts: a proxy in front of the Worker may end TLS. */
function isSecure<E extends PageEnv>(c: Context<E>): boolean {
  return c.var.ctx.baseUrl.startsWith('https:');
}
