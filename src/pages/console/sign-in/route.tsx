import { Hono } from 'hono';
import { showsDevInbox } from '../../../dev/shows-dev-inbox.ts';
import { DomainError } from '../../../domain/errors.ts';
import { relyingParty } from '../../../domain/passkeys/challenges.ts';
import { attempt, callerNetwork } from '../../../domain/rate-limits.ts';
import { findSession, signOut, signOutEverywhere } from '../../../domain/users/sessions.ts';
import { findSignInLink, signIn } from '../../../domain/users/sign-in.ts';
import { dropSession, keepAsked, keepSession, readAsked, readSession } from '../../session.ts';
import { visitOf } from '../../visit.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { ConsoleMessagePage } from '../message-page.tsx';
import { passkeySignInRoutes } from '../passkeys/sign-in-route.ts';
import { page, textOf } from '../reply.tsx';
import { mailLink } from './mail-link.ts';
import { ConfirmSignInPage, LinkSentPage, OtherBrowserPage, SignInPage } from './sign-in-pages.tsx';

/** Routes for signing in and out, open to everyone. */
export const signInRoutes = new Hono<ConsoleEnv>();

signInRoutes.get('/sign-in', async (c) => {
  const token = c.req.query('token');
  if (token === undefined)
    return page(
      c,
      <SignInPage
        local={showsDevInbox(c)}
        hasPasskeys={relyingParty(c.var.ctx) !== undefined}
        hasEndedAll={c.req.query('ended') === 'everywhere'}
      />,
    );
  const link = await findSignInLink(c.var.ctx, token, readAsked(c));
  if (link === undefined || link === 'elsewhere') return page(c, <UselessLink link={link} />);
  return page(c, <ConfirmSignInPage token={token} link={link} />);
});

function UselessLink({ link }: { link: 'elsewhere' | undefined }) {
  return link === 'elsewhere' ? <OtherBrowserPage /> : <ConsoleMessagePage message="linkSpent" />;
}

signInRoutes.post('/sign-in', async (c) => {
  const { ctx } = c.var;
  const token = textOf(await c.req.parseBody(), 'token');
  const browser = { before: readSession(c), browser: readAsked(c), ...visitOf(c) };
  const redeem = () => signIn(ctx, token, browser);
  try {
    const { session, returnPath } = await attempt(c.env, 'sign-in-token', callerNetwork(c.req.raw, c.env), redeem);
    keepSession(c, session);
    return c.redirect(returnPath ?? '/console', 303);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'unauthorized') throw error;
    const link = await findSignInLink(ctx, token, browser.browser);
    return page(c, <UselessLink link={link === 'elsewhere' ? link : undefined} />, 401);
  }
});

signInRoutes.post('/sign-in/link', async (c) => {
  const email = textOf(await c.req.parseBody(), 'email').trim();
  await mailLink(c, email, { browser: keepAsked(c) });
  return page(c, <LinkSentPage email={email} local={showsDevInbox(c)} />);
});

signInRoutes.route('/sign-in/passkey', passkeySignInRoutes);

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
  return c.redirect('/console/sign-in?ended=everywhere', 303);
});
