import type { MiddlewareHandler } from 'hono';
import { callerAddress, isWithin, RETRY_AFTER_S } from '../../platform/rate-limits.ts';
import { newNonce } from '../layout.tsx';
import type { PageEnv } from '../page-env.ts';
import { askedLanguage, htmlReply } from './html-reply.ts';
import { MessagePage } from './message-page.tsx';

/** Lets an address open so many pages a minute. What can be guessed has a limit of its own, see `guesses.ts`. */
export const limitPages: MiddlewareHandler<PageEnv> = async (c, next) => {
  if (await isWithin(c.env, 'PAGE_RATE_LIMITER', 'page', callerAddress(c.req.raw, c.env))) return next();
  c.header('Retry-After', String(RETRY_AFTER_S));
  return htmlReply(c, newNonce(), <MessagePage language={askedLanguage(c) ?? 'en'} message="tooMany" />, 429);
};
