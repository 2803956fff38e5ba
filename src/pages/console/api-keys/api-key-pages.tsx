import type { ApiKeyFacts } from '../../../domain/api-keys/list-api-keys.ts';
import { EVERY_SCOPE, grants, SCOPES, type Scope, type Scopes } from '../../../domain/api-keys/scopes.ts';
import type { Issue } from '../../../domain/errors.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Checkboxes, TextField } from '../fields.tsx';
import { ListTable } from '../list-table.tsx';
import { ActionButton, Badge, Confirm, EmptyState, EntryForm, Notice } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { Time } from '../time.tsx';

const SECTION = 'api-keys';

interface ApiKeysPageProps {
  frame: Frame;
  apiKeys: ApiKeyFacts[];
  /** UTC milliseconds. */
  now: number;
}

/** The account's keys: what they are called, whether they count, and when they did last. */
export function ApiKeysPage({ frame, apiKeys, now }: ApiKeysPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const create = (
    <a class="button" href={`${base}/new`}>
      Create API key
    </a>
  );
  return (
    <AccountLayout frame={frame} title="API keys" section={SECTION} actions={create}>
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
          <ListTable columns={['Name', 'Status', 'Scopes', 'Created on', 'Last used']} hasActions>
            {apiKeys.map((apiKey) => (
              <ApiKeyRow apiKey={apiKey} timezone={frame.account.timezone} now={now} base={base} />
            ))}
          </ListTable>
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

function ApiKeyRow(props: { apiKey: ApiKeyFacts; timezone: string; now: number; base: string }) {
  const { apiKey, timezone, now, base } = props;
  const { id, name, scopes, createdAt, createdBy, lastUsedAt, expiresAt } = apiKey;
  const expired = expiresAt !== null && expiresAt <= now;
  const active = apiKey.active && !expired;
  const [verb, title] = apiKey.active ? ['deactivate', 'Deactivate'] : ['activate', 'Activate'];
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Status">
        <Badge tone={active ? 'good' : undefined}>{active ? 'Active' : 'Inactive'}</Badge>
        {expiresAt !== null && (
          <span class="quiet">
            {' '}
            {expired ? 'expired' : 'expires'} <Time at={expiresAt} timezone={timezone} />
          </span>
        )}
      </td>
      <td data-label="Scopes">{scopes.includes(EVERY_SCOPE) ? 'All' : scopes.join(', ')}</td>
      <td data-label="Created on">
        <Time at={createdAt} timezone={timezone} />
        {createdBy && <span class="quiet"> by {createdBy}</span>}
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} timezone={timezone} />}</td>
      <td class="row-actions">
        <ActionButton action={`${base}/${id}/${verb}`} title={title!} label={`${title} ${name}`} fields={{ name }} />
        <a class="button small quiet" href={`${base}/${id}/delete`} aria-label={`Delete ${name}`}>
          Delete
        </a>
      </td>
    </tr>
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
  frame: Frame;
  /** The scopes that the member may give away. */
  own: Scopes;
  typed?: { name: string; lastDay: string; scopes: Scopes };
  messages?: Issue[];
}

export function NewApiKeyPage({ frame, own, typed, messages }: NewApiKeyPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title="Create API key" section={SECTION}>
      <EntryForm messages={messages} action={base} button="Create API key" back={base}>
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
          hint={`The key expires at the end of this day (${frame.account.timezone}).`}
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
export function ApiKeyCreatedPage({ frame, name, apiKey }: { frame: Frame; name: string; apiKey: string }) {
  return (
    <AccountLayout frame={frame} title="API key created" section={SECTION}>
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
        <a class="button" href={sectionPath(frame.account.id, SECTION)}>
          Done
        </a>
      </p>
    </AccountLayout>
  );
}

export function DeleteApiKeyPage({ frame, apiKey: { id, name } }: { frame: Frame; apiKey: ApiKeyFacts }) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title={`Delete ${name}?`} section={SECTION}>
      <Confirm action={`${base}/${id}/delete`} button="Delete key" back={base} fields={{ name }}>
        <p>
          Programs that use <strong>{name}</strong> are rejected from their next request on. You can’t restore a deleted
          key, but you can reactivate a deactivated one.
        </p>
      </Confirm>
    </AccountLayout>
  );
}

export function DeleteUnusedPage({ frame, unused }: { frame: Frame; unused: ApiKeyFacts[] }) {
  const base = sectionPath(frame.account.id, SECTION);
  return (
    <AccountLayout frame={frame} title="Delete unused keys?" section={SECTION}>
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
