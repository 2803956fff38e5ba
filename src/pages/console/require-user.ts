import type { MiddlewareHandler } from 'hono';
import { actingFor, inAccount } from '../../domain/context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { suspended } from '../../domain/suspended.ts';
import { hasPrivilege, type Privilege } from '../../domain/users/privileges.ts';
import { findSession } from '../../domain/users/sessions.ts';
import { keepSession, readSession, visitOf } from '../session.ts';
import { pathOf } from './confirm/held-form.ts';
import type { AccountEnv, AccountPageContext, ConsoleEnv } from './console-env.ts';
import { passkeyPath } from './passkeys/passkey-pages.tsx';
import { accountPath } from './sections.ts';

/**
 * Requires a signed-in user, and loads the user's memberships. Other visitors are sent to the sign-in. One round trip.
 */
export const requireUser: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const { ctx } = c.var;
  const sent = readSession(c);
  const live = sent === undefined ? undefined : await findSession(ctx, sent, visitOf(c));
  if (!live) return c.redirect('/console/sign-in', 303);
  if (live.session !== undefined) keepSession(c, live.session);
  c.set('session', live);
  const { id, email } = live.user;
  c.set('ctx', { ...ctx, actor: { type: 'user', id, name: email } });
  c.set('user', live.user);
  c.set('memberships', live.memberships);
  return next();
};

/**
 * Requires membership in the account of the address; for others, the account doesn't exist. Shows only a message while
 * the account is suspended, and asks for a passkey if the account requires one.
 */
export const requireMembership: MiddlewareHandler<AccountEnv> = async (c, next) => {
  const { ctx, memberships } = c.var;
  const membership = memberships.find(({ account }) => account.id === c.req.param('account'));
  if (!membership) throw notFound();
  if (membership.account.isSuspended) throw suspended();
  if (membership.account.requirePasskey && !c.var.session.hasPasskey) {
    const to = c.req.method === 'GET' ? pathOf(c.req.url) : accountPath(membership.account.id);
    return c.redirect(passkeyPath(to), 303);
  }
  c.set('acting', actingFor(inAccount(ctx, membership.account.id), membership.account));
  c.set('privileges', membership.privileges);
  return next();
};

/** Requires each of these privileges; others get 403. */
export function requirePrivilege(...needed: Privilege[]): MiddlewareHandler<AccountEnv> {
  return async (c, next) => {
    for (const one of needed) {
      const refusal = privilegeRefusal(c, one);
      if (refusal !== undefined) throw new DomainError('forbidden', refusal);
    }
    return next();
  };
}

/** Returns the message for a member who lacks a privilege; undefined for others. */
export function privilegeRefusal({ var: { privileges } }: AccountPageContext, needed: Privilege): string | undefined {
  return hasPrivilege(privileges, needed) ? undefined : `This needs the privilege ${needed}`;
}
