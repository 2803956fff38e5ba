import type { MiddlewareHandler } from 'hono';
import { findSignedInUser, listMembershipsOfUser } from '../../domain/users/sessions.ts';
import { keepSession, readSession } from '../session.ts';
import type { ConsoleEnv } from './console-env.ts';

/** Lets only signed-in users pass, with their accounts at hand; others learn how to sign in. */
export const requireUser: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const { ctx } = c.var;
  const session = readSession(c);
  const user = session === undefined ? undefined : await findSignedInUser(ctx, session);
  if (session === undefined || !user) return c.redirect('/console/sign-in', 303);
  keepSession(c, session);
  c.set('user', user);
  c.set('memberships', await listMembershipsOfUser(ctx, user.id));
  return next();
};
