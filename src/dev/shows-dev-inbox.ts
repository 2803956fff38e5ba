import type { Context } from 'hono';
import { hasOutbox } from '../../domain/outbox/leave-in-outbox.ts';
import { isLocalRequest } from '../../platform/local-request.ts';
import type { PageEnv } from '../page-env.ts';

/** Mails hold links that sign in: a service that a network or a tunnel reaches shows them to its own machine alone. */
export function showsOutbox<E extends PageEnv>(c: Context<E>): boolean {
  return hasOutbox(c.env) && isLocalRequest(c.req.raw);
}
