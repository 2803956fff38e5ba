import type { PasskeyFacts } from '../../../domain/passkeys/list-passkeys.ts';
import type { SignedInUser } from '../../../domain/users/sessions.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { Confirm, LinkButton, Panel, SubmitButton } from '../parts.tsx';
import { Time } from '../time.tsx';

/** Scripts for pages with passkeys. */
export const passkeyScripts = () => [clientFile('console/passkeys.ts').path];

/** Returns the address of the page that asks for a passkey and then continues to `to`. */
export const passkeyPath = (to: string): string => `/console/confirm/passkey?${new URLSearchParams({ to })}`;

/** The person's passkeys. */
export function PasskeysPanel({ passkeys, timezone }: { passkeys: PasskeyFacts[]; timezone: string }) {
  const add = <a href="/console/you/passkeys/new">Add passkey</a>;
  return (
    <Panel id="passkeys" title="Passkeys" aside={add}>
      <p class="quiet">Sign in with your fingerprint, face, PIN or security key, without a link by e-mail.</p>
      {passkeys.length > 0 && (
        <Table
          rows={passkeys}
          columns={[
            ['Name', ({ name }) => name],
            ['Added', ({ createdAt }) => <Time at={createdAt} timezone={timezone} />],
            [
              'Last use',
              ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} timezone={timezone} />),
            ],
          ]}
          actions={({ id, name }) => (
            <LinkButton
              href={`/console/you/passkeys/${id}/remove`}
              title="Remove"
              look="small quiet"
              label={`Remove ${name}`}
            />
          )}
        />
      )}
    </Panel>
  );
}

/** Creates a passkey, and continues to `to`. */
export function NewPasskeyPage({ user, name, to }: { user: SignedInUser; name: string; to: string }) {
  return (
    <ConsoleLayout title="Add passkey" user={user} scripts={passkeyScripts()}>
      <h1>Add passkey</h1>
      <p class="lead">
        Your device, password manager or security key stores the passkey. It signs you in without a link by e-mail.
      </p>
      <MissingNotice />
      <form class="panel stack" data-passkey="create" data-to={to} hidden>
        <TextField
          name="name"
          label="Name"
          hint="Where the passkey is stored, for example “Work laptop”."
          value={name}
          required
          more={{ maxlength: 100, autocomplete: 'off' }}
        />
        <div class="actions">
          <SubmitButton title="Create passkey" />
          <LinkButton href="/console/you" title="Cancel" look="quiet" />
        </div>
        <p class="field-error" role="alert"></p>
      </form>
    </ConsoleLayout>
  );
}

function MissingNotice() {
  return (
    <p class="notice careful" data-passkey-missing>
      Passkeys need JavaScript and a browser that supports them.
    </p>
  );
}

export function RemovePasskeyPage({ user, passkey }: { user: SignedInUser; passkey: PasskeyFacts }) {
  return (
    <ConsoleLayout title="Remove passkey" user={user}>
      <h1>Remove passkey</h1>
      <Confirm action={`/console/you/passkeys/${passkey.id}/remove`} button="Remove passkey" back="/console/you">
        <p>
          <strong>{passkey.name}</strong> no longer signs you in. Other browsers that signed in with it are signed out.
          Delete it from your device or password manager, too.
        </p>
      </Confirm>
    </ConsoleLayout>
  );
}

/** Shown to members of an account that requires passkeys, after they signed in with a link. */
export function PasskeyRequiredPage({
  user,
  to,
  hasPasskeys,
}: {
  user: SignedInUser;
  to: string;
  hasPasskeys: boolean;
}) {
  return (
    <ConsoleLayout title="This account requires a passkey" user={user} scripts={passkeyScripts()}>
      <h1>This account requires a passkey</h1>
      {hasPasskeys ? (
        <>
          <p class="lead">You signed in with a link. Use one of your passkeys to continue.</p>
          <MissingNotice />
          <PasskeyButton title="Use a passkey" url="/console/sign-in/passkey/again" to={to} />
          <p class="quiet">If you have lost all of your passkeys, ask the operator of the service to remove them.</p>
        </>
      ) : (
        <>
          <p class="lead">You have no passkey yet. Create one to open the account.</p>
          <div class="actions">
            <LinkButton href={`/console/you/passkeys/new?${new URLSearchParams({ to })}`} title="Add passkey" />
          </div>
        </>
      )}
    </ConsoleLayout>
  );
}

/** The button that signs in with a passkey. The script shows it in browsers with passkey support. */
export function PasskeyButton(props: {
  title: string;
  /** Address that verifies the signature. */
  url: string;
  /** Next page, in place of the one in the reply. */
  to?: string;
  /** Target of the surrounding form after the sign-in. */
  action?: string;
  isQuiet?: boolean;
}) {
  const { title, url, to, action, isQuiet } = props;
  return (
    <div class="stack" data-passkey="sign-in" data-url={url} data-to={to} data-action={action} hidden>
      <button class={isQuiet ? 'button quiet' : 'button'} type="button">
        {title}
      </button>
      <p class="field-error" role="alert"></p>
    </div>
  );
}
