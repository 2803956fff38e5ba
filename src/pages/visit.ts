import type { Context } from 'hono';
import type { Visit } from '../domain/users/begin-session.ts';
import type { PageEnv } from './page-env.ts';

/** Returns where the request comes from: IP address and user agent. */
export function visitOf<E extends PageEnv>(c: Context<E>): Visit {
  return { userAgent: c.req.header('User-Agent'), address: c.req.header('CF-Connecting-IP') };
}
