import type { Context, MiddlewareHandler } from 'hono';
import { callerAddress, isBarred, isWithin, noteFailure, RETRY_AFTER_S } from '../../platform/rate-limits.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { askedLanguage, htmlReply } from './html-reply.ts';
import { MessagePage } from './message-page.tsx';

/** Names the count of addresses of pages that there are not, which somebody guesses. */
const UNKNOWN = 'page';
/** Names the count of wrong PINs, of all passes together. */
const PIN = 'pin';

/** Lets an address open so many pages a minute, and guess few that do not exist. */
export const limitPages: MiddlewareHandler<PageEnv> = async (c, next) => {
  const address = callerAddress(c.req.raw, c.env);
  if (isBarred(UNKNOWN, address) || !(await isWithin(c.env, 'PAGE_RATE_LIMITER', 'page', address))) return tooMany(c);
  await next();
  if (c.res.status === 404) await noteFailure(c.env, UNKNOWN, address);
};

/** Whether an address has sent too many wrong PINs, whatever passes they were for. */
export function hasGuessedPins(c: Context<PageEnv>): boolean {
  return isBarred(PIN, callerAddress(c.req.raw, c.env));
}

/** Counts a wrong PIN. */
export function noteWrongPin(c: Context<PageEnv>): Promise<void> {
  return noteFailure(c.env, PIN, callerAddress(c.req.raw, c.env), 'ATTEMPT_RATE_LIMITER');
}

/** The page that asks to wait. */
export function tooMany(c: Context<PageEnv>) {
  c.header('Retry-After', String(RETRY_AFTER_S));
  return htmlReply(c, newNonce(), <MessagePage language={askedLanguage(c) ?? 'en'} message="tooMany" />, 429);
}
