import type { Context } from 'hono';
import type { PageEnv } from '../pages/page-env.ts';
import { isLocalRequest, isLocalService } from '../platform/local-request.ts';

/** Mails hold links that sign in: a service that a network or a tunnel reaches shows them to its own machine alone. */
export function showsDevInbox<E extends PageEnv>(c: Context<E>): boolean {
  return isLocalService(c.env) && isLocalRequest(c.req.raw);
}
