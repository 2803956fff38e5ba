import type { Account } from '../../domain/accounts/table.ts';
import type { ApiKeyFacts } from '../../domain/api-keys/list-api-keys.ts';
import type { TemplateFacts } from '../../domain/templates/list-template-facts.ts';
import type { SignedInUser } from '../../domain/users/sessions.ts';
import { accountPath } from './accounts-page.tsx';
import { ConsoleLayout, type Crumb } from './console-layout.tsx';
import { Time } from './time.tsx';

export interface AccountPageProps {
  user: SignedInUser;
  account: Account;
  /** Absent when the user may not manage keys. */
  apiKeys?: ApiKeyFacts[];
  templates: TemplateFacts[];
  /** Leads to the other accounts, when there are any. */
  trail: Crumb[];
  /** UTC milliseconds. */
  now: number;
}

/** Address of a template's page. */
export function templatePath(accountId: string, templateId: string): string {
  return `${accountPath(accountId)}/templates/${templateId}`;
}

/** Overview of one account: what it is, its keys and its templates. */
export function AccountPage(props: AccountPageProps) {
  const { user, account, trail } = props;
  return (
    <ConsoleLayout title={account.name} user={user} trail={trail}>
      <h1>{account.name}</h1>
      <dl class="facts">
        <div>
          <dt>Time zone</dt>
          <dd>{account.timezone}</dd>
        </div>
        <div>
          <dt>Account identifier</dt>
          <dd>
            <code>{account.id}</code>
          </dd>
        </div>
      </dl>
      <ApiKeys {...props} />
      <Templates {...props} />
    </ConsoleLayout>
  );
}

function ApiKeys({ account, apiKeys, now }: AccountPageProps) {
  return (
    <section class="panel" aria-labelledby="api-keys">
      <header>
        <h2 id="api-keys">API keys</h2>
        <a href="/docs#authentication">How to use a key</a>
      </header>
      {apiKeys === undefined && (
        <p class="quiet">
          Only members with the privilege <code>api_keys.manage</code> see the keys of this account.
        </p>
      )}
      {apiKeys?.length === 0 && <p class="quiet">This account has no keys.</p>}
      {apiKeys && apiKeys.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Status</th>
              <th scope="col">Created on</th>
              <th scope="col">Last used</th>
            </tr>
          </thead>
          <tbody>
            {apiKeys.map((apiKey) => (
              <ApiKeyRow apiKey={apiKey} timezone={account.timezone} now={now} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ApiKeyRow({ apiKey, timezone, now }: { apiKey: ApiKeyFacts; timezone: string; now: number }) {
  const { name, createdAt, lastUsedAt, expiresAt } = apiKey;
  const expired = expiresAt !== null && expiresAt <= now;
  const active = apiKey.active && !expired;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-label="Status">
        <span class={active ? 'badge good' : 'badge'}>{active ? 'Active' : 'Inactive'}</span>
        {expiresAt !== null && (
          <span class="quiet">
            {' '}
            {expired ? 'expired' : 'expires'} <Time at={expiresAt} timezone={timezone} />
          </span>
        )}
      </td>
      <td data-label="Created on">
        <Time at={createdAt} timezone={timezone} />
      </td>
      <td data-label="Last used">{lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} timezone={timezone} />}</td>
    </tr>
  );
}

function Templates({ account, templates }: AccountPageProps) {
  return (
    <section class="panel" aria-labelledby="templates">
      <header>
        <h2 id="templates">Templates</h2>
        <a href="/docs#createTemplate">How to create a template</a>
      </header>
      {templates.length === 0 && <p class="quiet">This account has no templates yet.</p>}
      {templates.length > 0 && (
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" class="number">
                Passes
              </th>
              <th scope="col">Fields</th>
            </tr>
          </thead>
          <tbody>
            {templates.map(({ id, name, passCount }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="number" data-label="Passes">
                  {passCount.toLocaleString('en')}
                </td>
                <td data-label="Fields">
                  <a href={templatePath(account.id, id)}>
                    Field information<span class="visually-hidden"> of {name}</span>
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
