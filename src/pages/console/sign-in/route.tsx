import { Hono } from 'hono';
import { showsDevInbox } from '../../../dev/shows-dev-inbox.ts';
import { DomainError } from '../../../domain/errors.ts';
import { relyingParty } from '../../../domain/passkeys/challenges.ts';
import { attempt, callerNetwork } from '../../../domain/rate-limits.ts';
import { SIGN_IN_LINK_MINUTES } from '../../../domain/users/create-sign-in-link.ts';
import { findSession, signOut, signOutEverywhere } from '../../../domain/users/sessions.ts';
import { findSignInLink, type OpenLink, signIn } from '../../../domain/users/sign-in.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { dropSession, keepAsked, keepSession, readAsked, readSession, visitOf } from '../../session.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { Fact, Notice, SubmitButton } from '../parts.tsx';
import { PasskeyButton, passkeyScripts } from '../passkeys/passkey-pages.tsx';
import { passkeySignInRoutes } from '../passkeys/sign-in-route.ts';
import { ConsoleMessagePage, page, textOf } from '../reply.tsx';
import { mailLink } from './mail-link.ts';

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

/** Maximum number of accounts to name before sign-in. */
const NAMED_ACCOUNTS_MAX = 5;

/** The page behind a sign-in link. Opening it changes nothing, because mail scanners open links too. */
function ConfirmSignInPage({ token, link }: { token: string; link: OpenLink }) {
  const { email, accounts } = link;
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX);
  const more = accounts.length - named.length;
  return (
    <ConsoleLayout title="Sign in">
      <h1>Sign in to the console</h1>
      <p class="lead">This link signs you in once, in this browser.</p>
      <dl class="facts">
        <Fact title="E-mail address" value={email} />
        <Fact
          title={accounts.length === 1 ? 'Account' : 'Accounts'}
          value={
            <>
              {named.length === 0 ? 'None yet' : named.join(', ')}
              {more > 0 && ` and ${more} more`}
            </>
          }
        />
      </dl>
      <form method="post" action="/console/sign-in">
        <input type="hidden" name="token" value={token} />
        <SubmitButton title="Sign in" />
      </form>
      <p class="quiet">If you don’t know this address or account, close this page.</p>
    </ConsoleLayout>
  );
}

/** Shown when a link is opened in another browser than the one that requested it. It reveals nothing about the link. */
function OtherBrowserPage() {
  return (
    <ConsoleLayout title="Open this link in another browser">
      <h1>This link belongs to another browser</h1>
      <p class="lead">
        A sign-in link opens only in the browser that requested it, and not in a private window. Copy the link to that
        browser, or request a new link here.
      </p>
      <LinkForm />
    </ConsoleLayout>
  );
}

function LinkForm() {
  return (
    <form class="stack" method="post" action="/console/sign-in/link">
      <TextField name="email" label="E-mail address" type="email" required more={{ autocomplete: 'email' }} />
      <SubmitButton title="Send me a link" />
    </form>
  );
}

interface SignInPageProps {
  /** Whether the service runs locally, so that the reader may be its operator. */
  local: boolean;
  hasPasskeys: boolean;
  /** Whether the person has just signed out everywhere. */
  hasEndedAll: boolean;
}

function SignInPage({ local, hasPasskeys, hasEndedAll }: SignInPageProps) {
  const scripts = [
    ...(hasPasskeys ? passkeyScripts() : []),
    ...(local ? [clientFile('console/copy-code.ts').path] : []),
  ];
  return (
    <ConsoleLayout title="Sign in" scripts={scripts}>
      <h1>Sign in to the console</h1>
      {hasEndedAll && (
        <Notice tone="good">
          <p>
            You are signed out in all browsers. If you lost a device, sign in here, and continue with the steps under
            Profile.
          </p>
        </Notice>
      )}
      <p class="lead">
        Use a passkey, or request a link by e-mail. The link works once, within {SIGN_IN_LINK_MINUTES} minutes.
      </p>
      <LinkForm />
      {hasPasskeys && <PasskeyButton title="Sign in with a passkey" url="/console/sign-in/passkey" isQuiet />}
      {local && (
        <details class="aside">
          <summary>Local service</summary>
          <p>Create a link in the service’s directory:</p>
          <CodeBlock title="Create a link for a member" code="npm run -s admin -- sign-in-link --email E" />
          <CodeBlock
            title="Add a member first"
            code="npm run -s admin -- user invite --account A --email E --privilege owner"
          />
        </details>
      )}
    </ConsoleLayout>
  );
}

/** Shown for every address, known or not. */
function LinkSentPage({ email, local }: { email: string; local: boolean }) {
  return (
    <ConsoleLayout title="Check your inbox">
      <h1>Check your inbox</h1>
      <p class="lead">
        If {email || 'the address'} belongs to a member of an account, we sent a link. It works once, within{' '}
        {SIGN_IN_LINK_MINUTES} minutes, and only in this browser.
      </p>
      {local && (
        <p>
          A local service sends no e-mails. Find the link in the <a href="/dev/inbox">dev inbox</a>.
        </p>
      )}
      <p>
        <a href="/console/sign-in">Use another address</a>
      </p>
    </ConsoleLayout>
  );
}
