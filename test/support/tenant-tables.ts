import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as devInbox from '../../src/dev/inbox/table.ts';
import * as devMetrics from '../../src/dev/metrics/table.ts';
import * as accountMoves from '../../src/domain/account-moves/table.ts';
import * as accounts from '../../src/domain/accounts/table.ts';
import * as apiKeys from '../../src/domain/api-keys/table.ts';
import * as appConfigurations from '../../src/domain/app-configurations/table.ts';
import * as appScans from '../../src/domain/app-scans/table.ts';
import * as audit from '../../src/domain/audit/table.ts';
import * as certificates from '../../src/domain/certificates/table.ts';
import * as databases from '../../src/domain/databases/table.ts';
import * as deadLetters from '../../src/domain/dead-letters/table.ts';
import * as events from '../../src/domain/events/table.ts';
import * as googleClasses from '../../src/domain/google-classes/table.ts';
import * as idempotency from '../../src/domain/idempotency/table.ts';
import * as images from '../../src/domain/images/table.ts';
import * as messages from '../../src/domain/messages/table.ts';
import * as monitoring from '../../src/domain/monitoring/table.ts';
import * as notifications from '../../src/domain/notifications/table.ts';
import * as passFacts from '../../src/domain/pass-facts/table.ts';
import * as passes from '../../src/domain/passes/table.ts';
import * as passkeys from '../../src/domain/passkeys/table.ts';
import * as processes from '../../src/domain/processes/table.ts';
import * as projects from '../../src/domain/projects/table.ts';
import * as pushes from '../../src/domain/pushes/table.ts';
import * as quotas from '../../src/domain/quotas/table.ts';
import * as registrations from '../../src/domain/registrations/table.ts';
import * as search from '../../src/domain/search/table.ts';
import * as serviceSettings from '../../src/domain/service-settings/table.ts';
import * as signingKeys from '../../src/domain/signing-keys/table.ts';
import * as statistics from '../../src/domain/statistics/table.ts';
import * as templates from '../../src/domain/templates/table.ts';
import * as users from '../../src/domain/users/table.ts';
import * as webhooks from '../../src/domain/webhooks/table.ts';

/** Facts about a table for judging statements. */
export interface TableFacts {
  name: string;
  columns: Set<string>;
  /** Columns that name the tenant: a condition that one of them equals a given value limits the rows to one tenant. */
  tenant: Set<string>;
  /** Columns whose values only the tenant, or recipients of them, can know. */
  secrets: Set<string>;
  /** Maps columns to the table whose row they name. Rows that name a tenant's row belong to that tenant. */
  references: Map<string, string>;
  /** Columns of the primary key. */
  key: string[];
  /** Whether it has unique values besides its key. */
  hasUniqueIndex: boolean;
  /** Whether any row may be accessed, because the table has no tenant or a statement is allowed to. */
  isOpen: boolean;
}

const MODULES: Record<string, unknown>[] = [
  accountMoves,
  accounts,
  apiKeys,
  appConfigurations,
  appScans,
  audit,
  certificates,
  databases,
  deadLetters,
  events,
  googleClasses,
  idempotency,
  images,
  messages,
  monitoring,
  notifications,
  devInbox,
  devMetrics,
  passFacts,
  passkeys,
  passes,
  processes,
  projects,
  pushes,
  quotas,
  registrations,
  search,
  serviceSettings,
  signingKeys,
  statistics,
  templates,
  users,
  webhooks,
];
const ACCOUNT = 'account_id';
/** The table with one row per tenant. */
const ACCOUNTS = 'accounts';

/** Columns that name the owner in tenant tables without the column `account_id`. */
const THROUGH: Record<string, string[]> = {
  // A sub-customer belongs to its parent.
  accounts: ['id', 'parent_account_id'],
  template_versions: ['template_id'],
  custom_numbers: ['template_id'],
  unique_property_values: ['template_id', 'pass_id'],
  pass_documents: ['key'],
  pass_facts: ['pass_key'],
  pass_terms: ['rowid'],
  pass_terms_docsize: ['id'],
  applied_items: ['process_id'],
  push_pages: ['fan_out_id'],
  taken_callbacks: ['pass_id'],
  event_deliveries: ['subscription_id', 'event_id'],
  webhook_deliveries: ['subscription_id', 'event_id'],
  sessions: ['user_id'],
  sign_in_tokens: ['user_id'],
  passkeys: ['user_id'],
  passkey_challenges: ['user_id'],
};

/**
 * Columns besides `account_id` that name the tenant themselves. A person is a tenant who can belong to several
 * accounts.
 */
const TENANTS: Record<string, string[]> = {
  accounts: ['id', 'parent_account_id'],
  users: ['id', 'email'],
  memberships: ['user_id'],
  sessions: ['user_id'],
  sign_in_tokens: ['user_id'],
  passkeys: ['user_id'],
  passkey_challenges: ['user_id'],
  account_deletions: ['root_id'],
};

/** Tables without a tenant, and why. */
export const NOBODYS: Record<string, string> = {
  counted_events: 'one row: how far the counts have come',
  search_reindex: 'one row: how far indexing anew has come',
  link_token_moves: 'a row for each kind of what is stored: how far moving link tokens has come',
  pass_term_counts: 'how often words occur in the search index, without their passes',
  google_classes: 'named by the issuer and the digest of their content',
  sqlite_master: 'the schema',
  sqlite_sequence: 'the highest numbers that were ever given',
  image_uses: 'names of files that are public under the digest of their content, and what shows them',
  image_checks: 'names of files that nothing may show any more',
  outbox_items: 'of a service that runs locally, without tenants',
  metric_points: 'of a service that runs locally: numbers by route, job and account',
  databases: 'databases of the service',
  shard_places: 'where shards and accounts live, the same for everybody',
  service_settings: 'one row for the whole service',
  service_samples: 'numbers of the whole service by hour and day',
  service_alerts: 'alerts of the whole service, for its operators',
  operator_mails: 'mails to the operators of the service, which tell all of them the same',
};

const SECRETS: Record<string, string[]> = {
  api_keys: ['lookup', 'secret_digest', 'previous_digest'],
  app_configuration_links: ['token_digest'],
  passes: ['page_token', 'file_token', 'bundle_page_token'],
  bundle_links: ['page_token'],
  sessions: ['digest', 'previous_digest'],
  sign_in_tokens: ['digest', 'browser_digest'],
  passkey_challenges: ['digest', 'browser_digest'],
  // Each word begins with the account and the template, and queries contain only words.
  pass_terms: ['pass_terms'],
  // Tokens of claims on a row.
  requested_pushes: ['claim'],
  push_fan_outs: ['claim'],
  push_pages: ['claim'],
  taken_callbacks: ['taken_by'],
};

/** Tables that no file declares, because drizzle can't express them. */
const VIRTUAL: Record<string, string[]> = {
  pass_terms: ['rowid', 'terms', 'pass_terms'],
  pass_term_counts: ['term'],
  pass_terms_docsize: ['id'],
  sqlite_master: ['type', 'name', 'sql'],
  sqlite_sequence: ['name', 'seq'],
};

/** Maps column names to the tables whose rows they name, if the names are unambiguous. */
const REFERENCES: Record<string, string> = {
  account_id: ACCOUNTS,
  parent_account_id: ACCOUNTS,
  user_id: 'users',
  pass_id: 'passes',
  template_id: 'templates',
  pass_template_id: 'templates',
  project_id: 'projects',
  configuration_id: 'app_configurations',
  link_id: 'app_configuration_links',
  last_scan_id: 'app_scans',
  previous_scan_id: 'app_scans',
  process_id: 'processes',
  fan_out_id: 'push_fan_outs',
  subscription_id: 'webhook_subscriptions',
  event_id: 'account_events',
};

/** The row's own key, by table. */
const OWN: Record<string, Record<string, string>> = {
  accounts: { ancestor_ids: 'accounts' },
  push_pages: { keys: 'passes.key' },
  passes: { id: 'passes', key: 'passes.key', bundle_page_token: 'bundle_links.page_token' },
  bundle_links: { page_token: 'bundle_links.page_token' },
  pass_documents: { key: 'passes.key' },
  pass_facts: { pass_key: 'passes.key' },
  pass_terms: { rowid: 'passes.key' },
  pass_terms_docsize: { id: 'passes.key' },
};

/** Returns every table that the product declares. */
export function everyTable(): SQLiteTable[] {
  return MODULES.flatMap((module) => Object.values(module)).filter((table) => is(table, SQLiteTable));
}

/** Returns the facts of every table by name. Throws for a table that has no account and isn't listed here. */
export function tenantTables(): Map<string, TableFacts> {
  const virtual = Object.entries(VIRTUAL).map(([name, columns]) => factsOf(name, columns, ['rowid'], false));
  const declared = everyTable().map((table) => {
    const { name, columns, primaryKeys, indexes, uniqueConstraints } = getTableConfig(table);
    const keys = [...columns.filter(({ primary }) => primary), ...primaryKeys.flatMap((key) => key.columns)];
    const namesOf = (some: { name: string }[]) => some.map((column) => column.name);
    const isUnique = [...columns.map((column) => column.isUnique), ...indexes.map(({ config }) => config.unique)];
    const hasUniqueIndex = uniqueConstraints.length > 0 || isUnique.includes(true);
    return factsOf(name, [...namesOf(columns), 'rowid'], namesOf(keys), hasUniqueIndex);
  });
  return new Map([...declared, ...virtual].map((facts) => [facts.name, facts]));
}

function factsOf(name: string, columns: string[], key: string[], hasUniqueIndex: boolean): TableFacts {
  const hasAccount = columns.includes(ACCOUNT);
  if (!hasAccount && !(name in THROUGH) && !(name in TENANTS) && !(name in NOBODYS)) {
    throw new Error(`${name} has no column ${ACCOUNT}: say in test/support/tenant-tables.ts whose its rows are`);
  }
  const references = new Map(columns.flatMap((column) => (REFERENCES[column] ? [[column, REFERENCES[column]]] : [])));
  for (const column of ['rowid', ...(key.length === 1 ? key : [])]) {
    if (!references.has(column)) references.set(column, `${name}.${column}`);
  }
  if (columns.includes('id')) references.set('id', name);
  for (const [column, named] of Object.entries(OWN[name] ?? {})) references.set(column, named);
  return {
    name,
    columns: new Set(columns),
    tenant: new Set([...(hasAccount ? [ACCOUNT] : []), ...(TENANTS[name] ?? [])]),
    secrets: new Set(SECRETS[name]),
    references,
    key,
    hasUniqueIndex,
    isOpen: name in NOBODYS,
  };
}
