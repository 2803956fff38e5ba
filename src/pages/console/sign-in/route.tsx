import { Hono } from 'hono';
import { DomainError } from '../../../domain/errors.ts';
import { mailSignInLink } from '../../../domain/users/create-sign-in-link.ts';
import { findSession, signOut, signOutEverywhere } from '../../../domain/users/sessions.ts';
import { signIn } from '../../../domain/users/sign-in.ts';
import { describeError, logLine } from '../../../platform/log.ts';
import { callerAddress, isWithin } from '../../../platform/rate-limits.ts';
import { showsOutbox } from '../../outbox/shows-outbox.ts';
import { dropSession, keepSession, readSession } from '../../session.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { page, textOf } from '../reply.tsx';
import { ConfirmSignInPage, LinkSentPage, SignInPage } from './sign-in-pages.tsx';

/** Ways in and out: what is open to everyone. */
export const signInRoutes = new Hono<ConsoleEnv>();

signInRoutes.get('/sign-in', (c) => {
  const token = c.req.query('token');
  const local = showsOutbox(c);
  return page(c, token ? <ConfirmSignInPage token={token} /> : <SignInPage local={local} />);
});

signInRoutes.post('/sign-in', async (c) => {
  const { ctx } = c.var;
  const { session } = await signIn(ctx, textOf(await c.req.parseBody(), 'token'), readSession(c));
  keepSession(c, session);
  return c.redirect('/console', 303);
});

signInRoutes.post('/sign-in/link', async (c) => {
  const { ctx } = c.var;
  const email = textOf(await c.req.parseBody(), 'email').trim();
  const asked = [
    await isWithin(c.env, 'ATTEMPT_RATE_LIMITER', 'sign-in', callerAddress(c.req.raw, c.env)),
    // Counted for every address of mail, so that a refusal says nothing about who has an account.
    await isWithin(c.env, 'ATTEMPT_RATE_LIMITER', 'sign-in-mail', email.toLowerCase()),
  ];
  if (asked.includes(false)) throw new DomainError('too_many_requests', 'Too many sign-in links; try again later');
  // Behind the reply, so that nobody can tell by the time it takes whether the address is known.
  if (email) {
    const work = mailSignInLink(ctx, email).catch((error: unknown) =>
      logLine('error', { event: 'sign-in-mail', requestId: ctx.requestId, error: describeError(error) }),
    );
    ctx.waitUntil(work);
  }
  return page(c, <LinkSentPage email={email} local={showsOutbox(c)} />);
});

signInRoutes.post('/sign-out', async (c) => {
  const session = readSession(c);
  if (session !== undefined) await signOut(c.var.ctx, session);
  dropSession(c);
  return c.redirect('/console/sign-in', 303);
});

signInRoutes.post('/sign-out/everywhere', async (c) => {
  const { ctx } = c.var;
  const session = readSession(c);
  const live = session === undefined ? undefined : await findSession(ctx, session);
  if (live) await signOutEverywhere(ctx, live.user.id);
  dropSession(c);
  return c.redirect('/console/sign-in', 303);
});
