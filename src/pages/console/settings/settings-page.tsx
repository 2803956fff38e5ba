import { UNLIMITED_RETENTION } from '../../../domain/accounts/account-settings.ts';
import { ACCOUNT_LANGUAGES } from '../../../domain/accounts/create-account.ts';
import type { Account, Retention } from '../../../domain/accounts/table.ts';
import type { QuotaView } from '../../../domain/quotas/list-quotas.ts';
import { languageName } from '../../language.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Checkbox, SelectField, TextField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { Fact, formatNumber, Notice, Panel, Problems, SubmitButton } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { TimeZoneField } from '../time-zones.tsx';
import { hrefTo, useViewer, viewerHas } from '../viewer.ts';

export const SECTION = 'settings';

export type TypedSettings = Pick<Account, 'name' | 'timezone' | 'language' | 'userProvidedLinks' | 'requirePasskey'> & {
  logoUrl: string;
  iconUrl: string;
  replyTo: string;
  /** Days; empty: data is kept. */
  retention: Record<keyof Retention, string>;
};

/** Name and behavior of the account. */
export function SettingsPage({ quotas, saved, typed }: { quotas: QuotaView[]; saved: boolean; typed?: TypedSettings }) {
  const { account } = useViewer();
  return (
    <AccountLayout title="Settings" section={SECTION}>
      <Problems />
      {saved && <Notice tone="good">Settings saved.</Notice>}
      <ul class="cards">
        <Part id="signing-key" title="Signing key" text="Signs texts in passes and webhook bodies." />
        <Part id="sub-customers" title="Sub-customers" text="Accounts that this account created." />
      </ul>
      {viewerHas('owner') ? (
        <SettingsForm typed={typed ?? typedOf(account)} action={sectionPath(account.id, SECTION)} />
      ) : (
        <Facts account={account} />
      )}
      <QuotasPanel quotas={quotas} />
      <dl class="facts">
        <Fact title="Account identifier" value={<code>{account.id}</code>} />
      </dl>
    </AccountLayout>
  );
}

function Part({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <li>
      <a class="card-link" href={hrefTo(SECTION, id)}>
        {title}
      </a>
      <span class="quiet">{text}</span>
    </li>
  );
}

function typedOf({ logoUrl, iconUrl, replyTo, retention, ...account }: Account): TypedSettings {
  const days = Object.entries({ ...UNLIMITED_RETENTION, ...retention }).map(([name, number]) => [
    name,
    String(number ?? ''),
  ]);
  const typed = { logoUrl: logoUrl ?? '', iconUrl: iconUrl ?? '', replyTo: replyTo ?? '' };
  return { ...account, ...typed, retention: Object.fromEntries(days) };
}

/** Data that is deleted after a number of days. */
export const RETENTIONS: Record<keyof Retention, string> = {
  expiredPassesDays: 'Delete expired passes after (days)',
  voidedPassesDays: 'Delete voided passes after (days without a change)',
  scansDays: 'Delete scans after (days)',
  messagesDays: 'Delete messages after (days)',
};
const RETENTION_ENTRIES = Object.entries(RETENTIONS) as [keyof Retention, string][];

const LANGUAGES = ACCOUNT_LANGUAGES.map((value) => ({ value, title: languageName(value) }));

function SettingsForm({ typed, action }: { typed: TypedSettings; action: string }) {
  return (
    <Panel id="account" title="Account">
      <form class="stack" method="post" action={action}>
        <TextField name="name" label="Name" value={typed.name} required more={{ maxlength: 500 }} />
        <TimeZoneField hint="Used for dates without a time zone." value={typed.timezone} />
        <SelectField
          name="language"
          label="Language"
          hint="The language of your templates’ texts, and of the service’s own texts in messages to pass holders."
          options={LANGUAGES}
          value={typed.language}
        />
        <TextField name="logoUrl" label="Logo URL" type="url" value={typed.logoUrl} required={false} />
        <TextField name="iconUrl" label="Icon URL" type="url" value={typed.iconUrl} required={false} />
        <TextField
          name="replyTo"
          label="Reply-to address"
          type="email"
          hint="Replies to e-mails about passes go to this address."
          value={typed.replyTo}
          required={false}
        />
        <Checkbox
          name="userProvidedLinks"
          label="Open download pages by userProvidedId"
          hint="Anyone who guesses a userProvidedId, such as order-1002 after order-1001, can open that pass and add it to a wallet. Turn this off unless your values can’t be guessed or your passes have PINs. Links with a secret keep working."
          checked={typed.userProvidedLinks}
        />
        <Checkbox
          name="requirePasskey"
          label="Require passkeys"
          hint="Members need a passkey to open this account. Members without one must create one first. Sign in with a passkey before you turn this on."
          checked={typed.requirePasskey}
        />
        <fieldset class="retention">
          <legend>Retention</legend>
          {RETENTION_ENTRIES.map(([name, label]) => (
            <TextField
              name={`retention.${name}`}
              label={label}
              hint={name === 'messagesDays' ? 'Leave empty for 90 days.' : 'Leave empty to keep them.'}
              type="number"
              value={typed.retention[name]}
              required={false}
              more={{ min: 1, max: 3_650, step: 1 }}
            />
          ))}
        </fieldset>
        <SubmitButton title="Save settings" />
      </form>
    </Panel>
  );
}

function Facts({ account }: { account: Account }) {
  return (
    <dl class="facts">
      <Fact title="Name" value={account.name} />
      <Fact title="Time zone" value={account.timezone} />
      <Fact title="Language" value={languageName(account.language)} />
      <Fact title="Logo" value={account.logoUrl ?? 'None'} />
      <Fact title="Icon" value={account.iconUrl ?? 'None'} />
      <Fact title="Reply-to address" value={account.replyTo ?? 'The sender'} />
      <Fact title="Passkeys" value={account.requirePasskey ? 'Required' : 'Optional'} />
      {RETENTION_ENTRIES.map(([name, label]) => (
        <Fact title={label} value={String(account.retention?.[name] ?? 'Not set')} />
      ))}
      <Fact title="Pages by userProvidedId" value={account.userProvidedLinks ? 'On' : 'Off'} />
    </dl>
  );
}

/** Titles of the quotas. */
const TITLES: Record<QuotaView['quota'], string> = {
  passes: 'Passes',
  activePasses: 'Active passes (on a device)',
  messages: 'E-mails and text messages per day',
  requests: 'API requests per minute, all keys',
  subCustomers: 'Sub-customers',
};

function QuotasPanel({ quotas }: { quotas: QuotaView[] }) {
  return (
    <Panel id="quotas" title="Quotas">
      <p class="quiet">Usage includes sub-customers. The operator of the service sets the quotas.</p>
      <Table
        rows={quotas}
        columns={[
          ['Quota', ({ quota }) => TITLES[quota]],
          ['Used', ({ used }) => (used === null ? 'Not counted' : formatNumber(used))],
          ['Maximum', ({ max }) => (max === null ? 'Unlimited' : formatNumber(max))],
        ]}
      />
    </Panel>
  );
}
