import type { Context } from 'hono';
import type { PageEnv } from '../pages/page-env.ts';
import { isLocalRequest, isLocalService } from '../platform/local-request.ts';

/**
 * Returns whether the caller may see the dev inbox. Its e-mails hold sign-in links, so a service that is reachable
 * through a network or tunnel shows them only to its own machine.
 */
export function showsDevInbox<E extends PageEnv>(c: Context<E>): boolean {
  return isLocalService(c.env) && isLocalRequest(c.req.raw);
}
