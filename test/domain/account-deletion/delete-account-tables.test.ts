import { getTableName } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIRST_ROWS, LAST_ROWS } from '../../../src/domain/account-deletion/delete-account.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Tables whose rows are deleted with other rows of the account, or belong to the service. */
const OTHERS: Record<string, string> = {
  account_changes: 'with account_moves',
  account_moves: 'with the copy that it is about',
  account_deletions: 'ends last',
  accounts: 'deleted first',
  applied_items: 'with processes',
  counted_events: 'one row of the service',
  databases: 'of the service',
  google_classes: 'digests of classes, by issuer',
  image_checks: 'names of files that nobody uses',
  image_uses: 'with passes, templates and accounts',
  memberships: 'with their users',
  link_token_moves: 'a row of the service for each kind',
  metric_points: 'the local stand-in for metrics, the oldest of which go',
  operator_mails: 'to operators of the service',
  outbox_items: 'the local inbox',
  pass_documents: 'with passes',
  pass_facts: 'with passes',
  passkey_challenges: 'with users',
  passkeys: 'with users',
  passes: 'with the files and counts',
  processes: 'with their objects',
  search_reindex: 'one row of the service',
  service_alerts: 'of the service',
  service_samples: 'of the service',
  service_settings: 'of the service',
  sessions: 'with users',
  shard_places: 'where accounts live: kept, so that the version of the map never falls',
  sign_in_tokens: 'with users',
  unique_property_values: 'with passes',
  users: 'who have no other account',
};

test('every table’s rows are deleted with their account, or belong to none', async () => {
  const { results } = await database.d1
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'pass_terms%' and name not like 'pass_term_%' and name not glob '_cf_*' and name not like 'sqlite_%'",
    )
    .all<{ name: string }>();
  const deleted = [...FIRST_ROWS, ...LAST_ROWS].map(({ table }) => getTableName(table));
  const names = results.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !deleted.includes(name) && !Object.hasOwn(OTHERS, name))).toEqual([]);
  expect(deleted.filter((name) => Object.hasOwn(OTHERS, name))).toEqual([]);
});
