import { afterAll, beforeAll, expect, test } from 'vitest';
import { COPIED_LAST, OF_PASSES, STREAMED } from '../../../src/domain/account-moves/moved-tables.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Tables that stay, and why. */
const OTHERS: Record<string, string> = {
  account_changes: 'of the move itself',
  account_deletions: 'an account that is being deleted does not move',
  account_moves: 'of the move itself',
  account_quotas: 'stand in each database, and count what is there: see quotas/move-use.ts',
  counted_events: 'the place of each database',
  databases: 'of the service',
  google_classes: 'digests of classes by issuer: sent again',
  image_checks: 'names of files that nobody uses',
  image_uses: 'triggers make them of the rows that are copied; uploads live for a day',
  link_token_moves: 'of an upgrade, during which no account moves',
  memberships: 'in the directory',
  metric_points: 'of a local service',
  operator_mails: 'to operators of the service',
  outbox_items: 'of a local service',
  passkey_challenges: 'in the directory',
  passkeys: 'in the directory',
  search_reindex: 'of an upgrade, during which no account moves',
  service_alerts: 'of the service',
  service_samples: 'of the service',
  service_settings: 'of the service',
  sessions: 'in the directory',
  shard_places: 'the map',
  sign_in_tokens: 'in the directory',
  users: 'in the directory',
};

test('every table moves with its account, or stays for a reason', async () => {
  const { results } = await database.d1
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'pass_term%' and name not glob '_cf_*' and name not like 'sqlite_%'",
    )
    .all<{ name: string }>();
  const moved = [...STREAMED, ...OF_PASSES, ...COPIED_LAST].map(({ name }) => name);
  const names = results.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => moved.includes(name) === Object.hasOwn(OTHERS, name))).toEqual([]);
  expect(new Set(moved).size).toBe(moved.length);
});

test('every column moves, except the numbers that each database assigns itself', async () => {
  const left: string[] = [];
  for (const { name, columns, also } of [...STREAMED, ...OF_PASSES, ...COPIED_LAST]) {
    const { results } = await database.d1
      .prepare('select name from pragma_table_info(?)')
      .bind(name)
      .all<{ name: string }>();
    const known = [...columns, ...Object.keys(also)];
    left.push(...results.filter((column) => !known.includes(column.name)).map((column) => `${name}.${column.name}`));
  }
  expect(left.sort()).toEqual([
    'accounts.is_suspended',
    'accounts.lives_in',
    'events.key',
    'pass_documents.key',
    'pass_facts.key',
    'pass_facts.pass_key',
    'passes.key',
    'webhook_payloads.sequence',
  ]);
});
