import { SIGN_IN_LINK_MINUTES } from '../../../domain/users/create-sign-in-link.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { ConsoleLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';

/** What a link in a mail opens. It changes nothing by itself, because mail scanners open links, too. */
export function ConfirmSignInPage({ token }: { token: string }) {
  return (
    <ConsoleLayout title="Sign in">
      <h1>Sign in to the console</h1>
      <p class="lead">This link signs you in once, on this device.</p>
      <form method="post" action="/console/sign-in">
        <input type="hidden" name="token" value={token} />
        <button class="button" type="submit">
          Sign in
        </button>
      </form>
    </ConsoleLayout>
  );
}

/** How a person gets a link. `local`: the reader may well be the one who runs the service, on this very machine. */
export function SignInPage({ local }: { local: boolean }) {
  return (
    <ConsoleLayout title="Sign in">
      <h1>Sign in to the console</h1>
      <p class="lead">
        There are no passwords here. You get a link by e-mail that works once, within {SIGN_IN_LINK_MINUTES} minutes.
      </p>
      <form class="stack" method="post" action="/console/sign-in/link">
        <TextField name="email" label="E-mail address" type="email" required more={{ autocomplete: 'email' }} />
        <button class="button" type="submit">
          Send me a link
        </button>
      </form>
      {local && (
        <details class="aside">
          <summary>This service runs on your machine?</summary>
          <p>Then you can also make a link yourself, in the directory of the service:</p>
          <CodeBlock title="Make a link for a member" code="npm run -s admin -- sign-in-link --email E" />
          <CodeBlock
            title="First make somebody a member"
            code="npm run -s admin -- user invite --account A --email E --privilege owner"
          />
        </details>
      )}
    </ConsoleLayout>
  );
}

/** The same for every address, known or not. */
export function LinkSentPage({ email, local }: { email: string; local: boolean }) {
  return (
    <ConsoleLayout title="Look into your mailbox">
      <h1>Look into your mailbox</h1>
      <p class="lead">
        If {email || 'the address'} belongs to a member of an account, a link is on its way. It works once, within{' '}
        {SIGN_IN_LINK_MINUTES} minutes.
      </p>
      {local && (
        <p>
          Nothing leaves a local service: the mail is in the <a href="/dev/outbox">outbox</a>.
        </p>
      )}
      <p>
        <a href="/console/sign-in">Use another address</a>
      </p>
    </ConsoleLayout>
  );
}
