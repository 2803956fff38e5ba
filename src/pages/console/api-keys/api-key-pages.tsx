import type { ApiKeyFacts } from '../../../domain/api-keys/list-api-keys.ts';
import { EVERY_SCOPE, grants, SCOPES, type Scope, type Scopes } from '../../../domain/api-keys/scopes.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Checkboxes, TextField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { ActionButton, Badge, Confirm, EmptyState, EntryForm, LinkButton, Notice } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo, useViewer } from '../viewer.ts';

const SECTION = 'api-keys';

interface ApiKeysPageProps {
  apiKeys: ApiKeyFacts[];
  /** UTC milliseconds. */
  now: number;
}

/** The account's keys: what they are called, whether they count, and when they did last. */
export function ApiKeysPage({ apiKeys, now }: ApiKeysPageProps) {
  const base = hrefTo(SECTION);
  const create = <LinkButton href={`${base}/new`} title="Create API key" />;
  return (
    <AccountLayout title="API keys" section={SECTION} actions={create}>
      <p class="lead">
        A key lets a program act for this account. Keep it secret, rotate it regularly, and deactivate it at once if
        someone else may know it. <a href="/docs#authentication">Use API keys</a>
      </p>
      {apiKeys.length === 0 ? (
        <EmptyState title="No keys yet" action={create}>
          Create an API key to let a program use this account.
        </EmptyState>
      ) : (
        <section class="panel">
          <ApiKeyTable apiKeys={apiKeys} now={now} base={base} />
        </section>
      )}
      {apiKeys.some(({ lastUsedAt }) => lastUsedAt === null) && (
        <p>
          <a href={`${base}/delete-unused`}>Delete unused keys</a>
        </p>
      )}
    </AccountLayout>
  );
}

function ApiKeyTable({ apiKeys, now, base }: ApiKeysPageProps & { base: string }) {
  const isOver = ({ expiresAt }: ApiKeyFacts) => expiresAt !== null && expiresAt <= now;
  return (
    <Table
      rows={apiKeys}
      columns={[
        ['Name', ({ name }) => name],
        ['Status', (apiKey) => <KeyState apiKey={apiKey} expired={isOver(apiKey)} />],
        ['Scopes', ({ scopes }) => (scopes.includes(EVERY_SCOPE) ? 'All' : scopes.join(', '))],
        [
          'Created on',
          ({ createdAt, createdBy }) => (
            <>
              <Time at={createdAt} />
              {createdBy && <span class="quiet"> by {createdBy}</span>}
            </>
          ),
        ],
        ['Last used', ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} />)],
      ]}
      actions={({ id, name, active }) => {
        const [verb, title] = active ? ['deactivate', 'Deactivate'] : ['activate', 'Activate'];
        return (
          <>
            <ActionButton
              action={`${base}/${id}/${verb}`}
              title={title!}
              label={`${title} ${name}`}
              fields={{ name }}
            />
            <LinkButton href={`${base}/${id}/delete`} title="Delete" look="small quiet" label={`Delete ${name}`} />
          </>
        );
      }}
    />
  );
}

function KeyState({ apiKey, expired }: { apiKey: ApiKeyFacts; expired: boolean }) {
  const { expiresAt } = apiKey;
  const active = apiKey.active && !expired;
  return (
    <>
      <Badge tone={active ? 'good' : undefined}>{active ? 'Active' : 'Inactive'}</Badge>
      {expiresAt !== null && (
        <span class="quiet">
          {' '}
          {expired ? 'expired' : 'expires'} <Time at={expiresAt} />
        </span>
      )}
    </>
  );
}

/** The scopes that an operation needs today. */
const MEANINGS: Partial<Record<Scope, string>> = {
  'passes:read': 'Read and search passes, bundles and processes.',
  'passes:write': 'Create, update, void and delete passes. Includes reading them.',
  'templates:read': 'Read templates and projects.',
  'templates:write': 'Create, update, publish and delete templates. Includes reading them.',
  'scans:read': 'Read app configurations and scans.',
  'scans:write': 'Record scans, change app configurations and their links. Includes reading them.',
  'messages:send': 'Send push notifications and e-mails.',
  'webhooks:manage': 'Subscribe to events, read and resend deliveries.',
  'customers:manage': 'Create sub-customers.',
};
const OPTIONS = [
  {
    value: EVERY_SCOPE,
    title: 'Full access',
    hint: 'All scopes below, and scopes that are added later. Select it alone.',
  } as const,
  ...SCOPES.filter((value) => MEANINGS[value]).map((value) => ({ value, title: value, hint: MEANINGS[value] })),
];

interface NewApiKeyPageProps {
  /** The scopes that the member may give away. */
  own: Scopes;
  typed?: { name: string; lastDay: string; scopes: Scopes };
}

export function NewApiKeyPage({ own, typed }: NewApiKeyPageProps) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Create API key" section={SECTION}>
      <EntryForm action={base} button="Create API key" back={base}>
        <TextField
          name="name"
          label="Name"
          hint="The program that uses the key, for example “Ticket shop”."
          value={typed?.name}
          required
          more={{ maxlength: 100, autocomplete: 'off' }}
        />
        <TextField
          name="lastDay"
          label="Expires after"
          type="date"
          hint={`The key expires at the end of this day (${useViewer().account.timezone}).`}
          value={typed?.lastDay}
          required={false}
        />
        <Checkboxes
          name="scopes"
          legend="Scopes"
          options={OPTIONS.filter(({ value }) => grants(own, value))}
          values={typed?.scopes ?? []}
        />
        {!own.includes(EVERY_SCOPE) && (
          <p class="hint">A key can’t have more privileges than you. An owner can create keys with other scopes.</p>
        )}
      </EntryForm>
    </AccountLayout>
  );
}

/** The only time that a key's value is shown. */
export function ApiKeyCreatedPage({ name, apiKey }: { name: string; apiKey: string }) {
  return (
    <AccountLayout title="API key created" section={SECTION}>
      <Notice tone="careful">
        <p>
          Copy the key of <strong>{name}</strong> now. It is shown only once: the service stores only a digest of it.
        </p>
      </Notice>
      <figure class="code-block">
        <figcaption>API key</figcaption>
        <pre tabindex={0}>
          <code>{apiKey}</code>
        </pre>
      </figure>
      <p>
        <LinkButton href={hrefTo(SECTION)} title="Done" />
      </p>
    </AccountLayout>
  );
}

export function DeleteApiKeyPage({ apiKey: { id, name } }: { apiKey: ApiKeyFacts }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title={`Delete ${name}?`} section={SECTION}>
      <Confirm action={`${base}/${id}/delete`} button="Delete key" back={base} fields={{ name }}>
        <p>
          Programs that use <strong>{name}</strong> are rejected from their next request on. You can’t restore a deleted
          key, but you can reactivate a deactivated one.
        </p>
      </Confirm>
    </AccountLayout>
  );
}

export function DeleteUnusedPage({ unused }: { unused: ApiKeyFacts[] }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Delete unused keys?" section={SECTION}>
      {unused.length === 0 ? (
        <EmptyState title="Every key was used">
          <a href={base}>View API keys</a>
        </EmptyState>
      ) : (
        <Confirm action={`${base}/delete-unused`} button="Delete keys" back={base}>
          <p>Deletes these keys. You can’t undo this. A key that is used before you confirm stays.</p>
          <ul class="bullets">
            {unused.map(({ name }) => (
              <li>{name}</li>
            ))}
          </ul>
        </Confirm>
      )}
    </AccountLayout>
  );
}
