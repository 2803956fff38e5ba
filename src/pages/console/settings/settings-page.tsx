import type { Account } from '../../../domain/accounts/table.ts';
import type { Issue } from '../../../domain/errors.ts';
import type { QuotaView } from '../../../domain/quotas/list-quotas.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Checkbox, FaultyFields, SelectField, TextField } from '../fields.tsx';
import { Fact, Notice, Panel, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { QuotasPanel } from './quotas-panel.tsx';

export const SECTION = 'settings';

export type TypedSettings = Pick<Account, 'name' | 'timezone' | 'language' | 'userProvidedLinks' | 'requirePasskey'> & {
  logoUrl: string;
  iconUrl: string;
  replyTo: string;
};

interface SettingsPageProps {
  frame: Frame;
  quotas: QuotaView[];
  mayEdit: boolean;
  saved: boolean;
  typed?: TypedSettings;
  messages?: Issue[];
}

/** What the account is called and how it behaves. */
export function SettingsPage({ frame, quotas, mayEdit, saved, typed, messages = [] }: SettingsPageProps) {
  const { account } = frame;
  return (
    <AccountLayout frame={frame} title="Settings" section={SECTION}>
      <Problems messages={messages} />
      {saved && <Notice tone="good">Saved. Applies from the next request on.</Notice>}
      <ul class="cards">
        <Part frame={frame} id="signing-key" title="Signing key" text="Signs texts of passes and bodies of webhooks." />
        <Part frame={frame} id="sub-customers" title="Sub-customers" text="Accounts that this account created." />
      </ul>
      {mayEdit ? (
        <FaultyFields messages={messages}>
          <SettingsForm typed={typed ?? typedOf(account)} action={sectionPath(account.id, SECTION)} />
        </FaultyFields>
      ) : (
        <Facts account={account} />
      )}
      <QuotasPanel quotas={quotas} />
      <dl class="facts">
        <Fact title="Account identifier">
          <code>{account.id}</code>
        </Fact>
      </dl>
    </AccountLayout>
  );
}

function Part({ frame, id, title, text }: { frame: Frame; id: string; title: string; text: string }) {
  return (
    <li>
      <a class="card-link" href={sectionPath(frame.account.id, SECTION, id)}>
        {title}
      </a>
      <span class="quiet">{text}</span>
    </li>
  );
}

function typedOf({ logoUrl, iconUrl, replyTo, ...account }: Account): TypedSettings {
  return { ...account, logoUrl: logoUrl ?? '', iconUrl: iconUrl ?? '', replyTo: replyTo ?? '' };
}

const LANGUAGES = [
  { value: 'en', title: 'English' },
  { value: 'de', title: 'Deutsch' },
];

function SettingsForm({ typed, action }: { typed: TypedSettings; action: string }) {
  return (
    <Panel id="account" title="Account">
      <form class="stack" method="post" action={action}>
        <TextField name="name" label="Name" value={typed.name} required more={{ maxlength: 500 }} />
        <TextField
          name="timezone"
          label="Time zone"
          hint="The zone of dates without one, for example Europe/Vienna."
          value={typed.timezone}
          required
          more={{ autocomplete: 'off', spellcheck: 'false' }}
        />
        <SelectField
          name="language"
          label="Language"
          hint="The language of messages to pass holders."
          options={LANGUAGES}
          value={typed.language}
        />
        <TextField name="logoUrl" label="Logo URL" type="url" value={typed.logoUrl} required={false} />
        <TextField name="iconUrl" label="Icon URL" type="url" value={typed.iconUrl} required={false} />
        <TextField
          name="replyTo"
          label="Reply-to address"
          type="email"
          hint="Replies to mails about passes go to this address."
          value={typed.replyTo}
          required={false}
        />
        <Checkbox
          name="userProvidedLinks"
          label="Open download pages by userProvidedId"
          hint="Anyone who guesses a userProvidedId, such as order-1002 after order-1001, can open that pass and add it to a wallet. Switch this off unless your values can’t be guessed or your passes have PINs. Links with a secret keep working."
          checked={typed.userProvidedLinks}
        />
        <Checkbox
          name="requirePasskey"
          label="Require passkeys"
          hint="Members need a passkey to open this account. Members without one create it first. Sign in with a passkey before you turn this on."
          checked={typed.requirePasskey}
        />
        <button class="button" type="submit">
          Save
        </button>
      </form>
    </Panel>
  );
}

function Facts({ account }: { account: Account }) {
  return (
    <dl class="facts">
      <Fact title="Name">{account.name}</Fact>
      <Fact title="Time zone">{account.timezone}</Fact>
      <Fact title="Language">
        {LANGUAGES.find(({ value }) => value === account.language)?.title ?? account.language}
      </Fact>
      <Fact title="Logo">{account.logoUrl ?? 'None'}</Fact>
      <Fact title="Icon">{account.iconUrl ?? 'None'}</Fact>
      <Fact title="Reply-to address">{account.replyTo ?? 'The sender'}</Fact>
      <Fact title="Passkeys">{account.requirePasskey ? 'Required' : 'Optional'}</Fact>
      <Fact title="Pages by userProvidedId">{account.userProvidedLinks ? 'On' : 'Off'}</Fact>
    </dl>
  );
}
