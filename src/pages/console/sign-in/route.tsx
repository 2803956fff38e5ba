import { Hono } from 'hono';
import { attempt, callerNetwork, takeTurn } from '../../../domain/rate-limits.ts';
import { mailSignInLink } from '../../../domain/users/create-sign-in-link.ts';
import { findSession, signOut, signOutEverywhere } from '../../../domain/users/sessions.ts';
import { signIn } from '../../../domain/users/sign-in.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { describeError, logLine } from '../../../platform/log.ts';
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
  const token = textOf(await c.req.parseBody(), 'token');
  const redeem = () => signIn(ctx, token, readSession(c));
  const { session } = await attempt(c.env, 'sign-in-token', callerNetwork(c.req.raw, c.env), redeem);
  keepSession(c, session);
  return c.redirect('/console', 303);
});

signInRoutes.post('/sign-in/link', async (c) => {
  const { ctx } = c.var;
  const email = textOf(await c.req.parseBody(), 'email').trim();
  const network = callerNetwork(c.req.raw, c.env);
  await takeTurn(c.env, 'sign-in-mail', network);
  // Counted for every address of mail, so that a refusal says nothing about who has an account.
  await takeTurn(c.env, 'sign-in-mail-to', network && (await sha256(email.toLowerCase())));
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
