import { SIGN_IN_LINK_MINUTES } from '../../../domain/users/create-sign-in-link.ts';
import type { SignedInUser } from '../../../domain/users/sessions.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { HiddenFields, LinkButton, Notice } from '../parts.tsx';
import { PasskeyButton, passkeyScripts } from '../passkeys/passkey-pages.tsx';
import type { HeldForm } from './held-form.ts';

interface ConfirmPageProps {
  user: SignedInUser;
  /** Address that the person wanted to open. */
  to: string;
  /** Form that waits for the sign-in. */
  form?: HeldForm;
  /** A link was just sent; `local`: to the dev inbox. */
  sent?: { local: boolean };
  /** Whether the person has a passkey. */
  hasPasskeys: boolean;
}

/** Asks for a new sign-in before an action that can't be undone or that reveals secrets. */
export function ConfirmPage({ user, to, form, sent, hasPasskeys }: ConfirmPageProps) {
  return (
    <ConsoleLayout title="Confirm that it’s you" user={user} isNarrow scripts={hasPasskeys ? passkeyScripts() : []}>
      <h1>Confirm that it’s you</h1>
      <p class="lead">
        To delete or export data, or to change certificates, keys or members, you must have signed in within the last 15
        minutes.
      </p>
      {sent && <LinkSent email={user.email} local={sent.local} form={form} />}
      <form class="panel stack" method="post">
        {form && <HiddenFields fields={form.fields} />}
        {hasPasskeys && !sent && (
          <PasskeyButton
            title="Use a passkey"
            url="/console/sign-in/passkey/again"
            to={form?.formPage ?? to}
            action={form && !form.formPage ? form.action : undefined}
          />
        )}
        <div class="actions">
          {sent && <Continue to={to} form={form} />}
          <SendLinkButton
            to={to}
            form={form}
            isAgain={sent !== undefined}
            isQuiet={sent !== undefined || hasPasskeys}
          />
        </div>
        {!sent && (
          <p class="quiet">
            The link goes to {user.email}. It works once, within {SIGN_IN_LINK_MINUTES} minutes.
          </p>
        )}
      </form>
    </ConsoleLayout>
  );
}

function LinkSent({ email, local, form }: { email: string; local: boolean; form?: HeldForm }) {
  return (
    <Notice tone="calm">
      <p>
        We sent a link to {email}. Open it in this browser, then come back to this page and select Continue.
        {form && !form.formPage && ' Your input is kept here.'}
      </p>
      {local && (
        <p>
          A local service sends no e-mails. Find the link in the{' '}
          <a href="/dev/inbox" target="_blank" rel="noopener">
            dev inbox
          </a>
          .
        </p>
      )}
    </Notice>
  );
}

function Continue({ to, form }: { to: string; form?: HeldForm }) {
  if (!form || form.formPage) {
    return <LinkButton href={form?.formPage ?? to} title="Continue" />;
  }
  return (
    <button class="button" type="submit" formaction={form.action}>
      Continue
    </button>
  );
}

/** Sends the link by e-mail, and shows this page again. */
function SendLinkButton(props: { to: string; form?: HeldForm; isAgain: boolean; isQuiet: boolean }) {
  const { to, form, isAgain, isQuiet } = props;
  const parameters = new URLSearchParams({ to });
  if (form) parameters.set('held', 'yes');
  if (form?.formPage) parameters.set('formPage', form.formPage);
  return (
    <button
      class={isQuiet ? 'button quiet' : 'button'}
      type="submit"
      formaction={`/console/confirm/link?${parameters}`}
    >
      {isAgain ? 'Send another link' : 'Send me a link'}
    </button>
  );
}

/** Shown in the tab of the sign-in link while a form waits in another tab. */
export function ConfirmedPage({ user }: { user: SignedInUser }) {
  return (
    <ConsoleLayout title="You are signed in" user={user} isNarrow>
      <h1>You are signed in</h1>
      <p class="lead">Go back to the tab where you requested the link, and select Continue. You can close this tab.</p>
      <p>
        <LinkButton href="/console" title="Open the console" look="quiet" />
      </p>
    </ConsoleLayout>
  );
}
