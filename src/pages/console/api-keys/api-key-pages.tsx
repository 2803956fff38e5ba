import type { ApiKeyFacts } from '../../../domain/api-keys/list-api-keys.ts';
import { EVERY_SCOPE } from '../../../domain/api-keys/scopes.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { AccountLayout, ConfirmationPage } from '../console-layout.tsx';
import { optionsOf, SelectField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { ActionButton, Badge, Confirm, EmptyState, EntryForm, LinkButton, Notice } from '../parts.tsx';
import { EndTime, Time } from '../time.tsx';
import { hrefTo } from '../viewer.ts';
import { KeyFields, type KeyFormProps, type NamedTemplate } from './api-key-form.tsx';
import { summaryOf } from './key-summary.ts';

export const SECTION = 'api-keys';

interface ApiKeysPageProps {
  apiKeys: ApiKeyFacts[];
  /** UTC milliseconds. */
  now: number;
}

/** The list of API keys with their state and last use. */
export function ApiKeysPage({ apiKeys, now }: ApiKeysPageProps) {
  const base = hrefTo(SECTION);
  const create = <LinkButton href={`${base}/new`} title="Create API key" />;
  return (
    <AccountLayout title="API keys" section={SECTION} actions={create}>
      <p class="lead">
        An API key gives a program access to this account. Keep it secret, and rotate it regularly. If it may have
        leaked, deactivate it immediately. <a href="/docs#authentication">Use API keys</a>
        {' · '}
        <a href="/docs#assistants">Connect an assistant</a>
      </p>
      {apiKeys.length === 0 ? (
        <EmptyState title="No keys yet" action={create}>
          Create an API key to give a program access to this account.
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
      hasTwoLines
      rows={apiKeys}
      columns={[
        ['Name', ({ name }) => name],
        ['Status', (apiKey) => <KeyState apiKey={apiKey} expired={isOver(apiKey)} />],
        ['Scopes', (apiKey) => <Rights apiKey={apiKey} />],
        [
          'Created on',
          ({ createdAt, createdBy }) => (
            <span>
              <Time at={createdAt} />
              {createdBy && <span class="quiet"> by {createdBy}</span>}
            </span>
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
            <LinkButton href={`${base}/${id}`} title="Edit" look="small quiet" label={`Edit ${name}`} />
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
    <span>
      <Badge tone={active ? 'good' : undefined}>{active ? 'Active' : 'Inactive'}</Badge>
      {expiresAt !== null && (
        <span class="quiet">
          {' '}
          {expired ? 'expired' : 'expires'} <EndTime at={expiresAt} />
        </span>
      )}
    </span>
  );
}

/** The scopes of a key, and the number of templates and addresses it is limited to. */
function Rights({ apiKey: { scopes, templateIds, allowedIps } }: { apiKey: ApiKeyFacts }) {
  const named = scopes.includes(EVERY_SCOPE) ? 'All' : scopes.join(', ');
  const limits = [
    ...(templateIds ? [counted(templateIds.length, 'template', 'templates')] : []),
    ...(allowedIps ? [counted(allowedIps.length, 'address', 'addresses')] : []),
  ];
  if (limits.length === 0) return <>{named}</>;
  return (
    <span>
      {named} <span class="quiet">for {limits.join(', ')}</span>
    </span>
  );
}

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export function NewApiKeyPage(props: KeyFormProps) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Create API key" section={SECTION} scripts={[clientFile('console/key-summary.ts').path]}>
      <EntryForm action={base} button="Create API key" back={base}>
        <KeyFields {...props} />
        <p class="lead" id="key-summary" aria-live="polite" hidden />
      </EntryForm>
    </AccountLayout>
  );
}

type SummaryProps = { apiKey: ApiKeyFacts; templates: NamedTemplate[] };

/** A sentence that describes what a key can do. */
function Summary({ apiKey: { name, scopes, templateIds, allowedIps, expiresAt }, templates }: SummaryProps) {
  const nameOf = (id: string) => templates.find((template) => template.id === id)?.name ?? 'a deleted template';
  return (
    <p class="lead">
      <strong>{name}</strong>{' '}
      {summaryOf({ scopes, templates: templateIds?.map(nameOf) ?? null, addresses: allowedIps })}
      {expiresAt !== null && (
        <>
          , until <EndTime at={expiresAt} />
        </>
      )}
      .
    </p>
  );
}

interface EditApiKeyPageProps extends KeyFormProps {
  apiKey: ApiKeyFacts;
  /** UTC milliseconds. */
  now: number;
}

export function EditApiKeyPage({ apiKey, now, ...form }: EditApiKeyPageProps) {
  const base = hrefTo(SECTION);
  const { id, name, previousUntil } = apiKey;
  const rotate = <LinkButton href={`${base}/${id}/rotate`} title="Rotate key" look="quiet" />;
  return (
    <AccountLayout title={`Edit ${name}`} section={SECTION} actions={rotate}>
      <Summary apiKey={apiKey} templates={form.templates} />
      {previousUntil !== null && previousUntil > now && (
        <p>
          The value before the last rotation works until <Time at={previousUntil} />.
        </p>
      )}
      <EntryForm action={`${base}/${id}`} button="Save key" back={base}>
        <KeyFields {...form} />
      </EntryForm>
    </AccountLayout>
  );
}

/** Shows the key's value, which is never shown again. */
export function ApiKeyValuePage({ title, apiKey, value, templates }: SummaryProps & { title: string; value: string }) {
  const { name, previousUntil } = apiKey;
  return (
    <AccountLayout title={title} section={SECTION} scripts={[clientFile('console/copy-code.ts').path]}>
      <Notice tone="careful">
        <p>
          Copy the key of <strong>{name}</strong> now. It is shown only once, because the service stores only a digest
          of it.
        </p>
      </Notice>
      <CodeBlock title="API key" code={value} />
      <Summary apiKey={apiKey} templates={templates} />
      {previousUntil !== null && (
        <p>
          The old value works until <Time at={previousUntil} />. Use the new value in every program that uses the key.
        </p>
      )}
      <p>
        <LinkButton href={hrefTo(SECTION)} title="Done" />
      </p>
    </AccountLayout>
  );
}

const OVERLAPS = optionsOf({
  0: 'Expires immediately',
  60: 'Works for one more hour',
  1440: 'Works for one more day',
  10080: 'Works for one more week',
});

export function RotateApiKeyPage({ apiKey, templates }: SummaryProps) {
  const base = hrefTo(SECTION);
  const { id, name } = apiKey;
  return (
    <AccountLayout title={`Rotate ${name}`} section={SECTION}>
      <Summary apiKey={apiKey} templates={templates} />
      <EntryForm action={`${base}/${id}/rotate`} button="Rotate key" back={`${base}/${id}`}>
        <p>
          Creates a new value. The old value keeps working for the time you select. Even older values stop working now.
        </p>
        <SelectField name="overlapMinutes" label="Old value" options={OVERLAPS} value="1440" />
      </EntryForm>
    </AccountLayout>
  );
}

export function DeleteApiKeyPage({ apiKey: { id, name } }: { apiKey: ApiKeyFacts }) {
  const base = hrefTo(SECTION);
  return (
    <ConfirmationPage
      title={`Delete ${name}?`}
      section={SECTION}
      action={`${base}/${id}/delete`}
      button="Delete key"
      back={base}
      fields={{ name }}
    >
      <p>
        Requests with <strong>{name}</strong> are rejected immediately. You can’t undo this. To be able to restore the
        key later, deactivate it instead.
      </p>
    </ConfirmationPage>
  );
}

export function DeleteUnusedPage({ unused }: { unused: ApiKeyFacts[] }) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout title="Delete unused keys?" section={SECTION}>
      {unused.length === 0 ? (
        <EmptyState title="No unused keys">
          <a href={base}>View API keys</a>
        </EmptyState>
      ) : (
        <Confirm action={`${base}/delete-unused`} button="Delete keys" back={base}>
          <p>Deletes these keys. You can’t undo this. Keys that are used before you confirm are kept.</p>
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
