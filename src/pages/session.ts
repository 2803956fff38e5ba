import type { Context } from 'hono';
import { SESSION_DAYS, type Visit } from '../domain/users/begin-session.ts';
import { SIGN_IN_LINK_MINUTES } from '../domain/users/create-sign-in-link.ts';
import { randomToken } from '../platform/ids.ts';
import { dropCookie, keepCookie, readCookie } from './cookies.ts';
import type { PageEnv } from './page-env.ts';

const NAME = 'session';
/** Identifies the browser that requested a sign-in link. */
const ASKED_NAME = 'sign-in';
const ASKED_BYTES = 32;
const ASKED = /^[\w-]{43}$/;
const DAY_SECONDS = 24 * 60 * 60;

/** Returns the value of the session cookie, valid or not; undefined without one. */
export const readSession = <E extends PageEnv>(c: Context<E>): string | undefined => readCookie(c, NAME);

/** Sets the session cookie, or extends it by the lifetime of a session in use. */
export function keepSession<E extends PageEnv>(c: Context<E>, session: string): void {
  keepCookie(c, NAME, session, SESSION_DAYS * DAY_SECONDS);
}

/** Deletes the session cookie. */
export function dropSession<E extends PageEnv>(c: Context<E>): void {
  dropCookie(c, NAME);
}

/** Returns the secret of the browser that requested a sign-in link. */
export function readAsked<E extends PageEnv>(c: Context<E>): string | undefined {
  const secret = readCookie(c, ASKED_NAME);
  return secret !== undefined && ASKED.test(secret) ? secret : undefined;
}

/**
 * Sets the secret of a browser that requests a sign-in link, for the lifetime of the link. An existing secret is kept,
 * so that earlier links still work.
 */
export function keepAsked<E extends PageEnv>(c: Context<E>): string {
  const secret = readAsked(c) ?? randomToken(ASKED_BYTES);
  keepCookie(c, ASKED_NAME, secret, SIGN_IN_LINK_MINUTES * 60);
  return secret;
}

/** Returns where the request comes from: IP address and user agent. */
export function visitOf<E extends PageEnv>(c: Context<E>): Visit {
  return { userAgent: c.req.header('User-Agent'), address: c.req.header('CF-Connecting-IP') };
}
