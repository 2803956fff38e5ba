import { SIGN_IN_LINK_MINUTES } from '../../domain/users/create-sign-in-link.ts';
import { CodeBlock } from '../docs/code-block.tsx';
import { ConsoleLayout } from './console-layout.tsx';

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
export function SignInHelpPage({ local }: { local: boolean }) {
  return (
    <ConsoleLayout title="Sign in">
      <h1>Sign in to the console</h1>
      <p class="lead">
        There are no passwords here. You sign in with a link that works once, within {SIGN_IN_LINK_MINUTES} minutes.
      </p>
      {local ? (
        <>
          <p>This service runs locally, so you can make a link yourself, in the directory of the service:</p>
          <CodeBlock title="Make a link for a member" code="npm run -s admin -- sign-in-link --email E" />
          <CodeBlock
            title="First make somebody a member"
            code="npm run -s admin -- user invite --account A --email E --privilege owner"
          />
        </>
      ) : (
        <p>Ask whoever runs this service, or an owner of your account, for a link, and open it in this browser.</p>
      )}
    </ConsoleLayout>
  );
}
