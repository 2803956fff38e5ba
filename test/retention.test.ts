import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDIT_RETENTION_DAYS } from '../src/domain/audit/list-actions.ts';
import { EVENT_RETENTION_DAYS } from '../src/domain/events/purge-events.ts';
import { MESSAGE_RETENTION_DAYS } from '../src/domain/messages/delete-messages.ts';
import { NOTIFICATION_RETENTION_DAYS } from '../src/domain/notifications/purge-notifications.ts';
import { EMPTY_BUNDLE_DAYS } from '../src/domain/passes/purge-bundle-links.ts';
import { PROCESS_RETENTION_DAYS } from '../src/domain/processes/delete-processes.ts';
import { DAILY_COUNTS_DAYS, HOURLY_COUNTS_DAYS } from '../src/domain/statistics/fold-counts.ts';
import { PAYLOAD_RETENTION_DAYS } from '../src/domain/webhooks/payload-counts.ts';
import { DELIVERY_RETENTION_DAYS } from '../src/domain/webhooks/purge-deliveries.ts';
import { type LocalDatabase, openMemoryDatabase } from './domain/local-database.ts';

/*
 * The table in docs/operations.md says how long the rows of every database table are kept, with the periods from the
 * code.
 */

const DOCS = readFileSync(join(import.meta.dirname, '../docs/operations.md'), 'utf8');
const SECTION = DOCS.split(/^## /m).find((section) => section.startsWith('What is kept for how long')) ?? '';
/** Names of tables and their retention text, by row. */
const ROWS = [...SECTION.matchAll(/^\| [^|]+ \| ((?:`\w+` ?)+) \| ([^|]+) \|$/gm)].map(([, names, kept]) => ({
  names: [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  kept: kept!,
}));

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

test('the documentation lists exactly the database’s tables, each once', async () => {
  // The tables behind a virtual one are part of it.
  const { results } = await database.d1
    .prepare(
      "select name from sqlite_master where type = 'table' and name not glob 'pass_terms_*' and name not glob '_cf_*' and name not glob 'sqlite_*'",
    )
    .all<{ name: string }>();
  expect(results.length).toBeGreaterThan(50);
  expect(ROWS.flatMap(({ names }) => names).sort()).toEqual(results.map(({ name }) => name).sort());
});

test.each([
  ['audit_entries', AUDIT_RETENTION_DAYS],
  ['bundle_links', EMPTY_BUNDLE_DAYS],
  ['daily_counts', DAILY_COUNTS_DAYS],
  ['events', EVENT_RETENTION_DAYS],
  ['hourly_counts', HOURLY_COUNTS_DAYS],
  ['messages', MESSAGE_RETENTION_DAYS],
  ['notifications', NOTIFICATION_RETENTION_DAYS],
  ['processes', PROCESS_RETENTION_DAYS],
  ['template_versions', NOTIFICATION_RETENTION_DAYS],
  ['event_deliveries', DELIVERY_RETENTION_DAYS],
  ['webhook_payloads', PAYLOAD_RETENTION_DAYS],
])('the documentation has for %s the code’s %i days', (name, days) => {
  const row = ROWS.find(({ names }) => names.includes(name));
  expect(row?.kept).toContain(days.toLocaleString('en-US'));
});
