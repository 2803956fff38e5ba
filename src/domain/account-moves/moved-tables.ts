import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { isWithoutRowid } from '../../platform/raw-statement.ts';
import { UUID_BYTES, uuidText } from '../../platform/uuid-bytes.ts';
import { accountContacts, accounts } from '../accounts/table.ts';
import { apiKeys } from '../api-keys/table.ts';
import { appConfigurationLinks, appConfigurations } from '../app-configurations/table.ts';
import { appScans } from '../app-scans/table.ts';
import { auditEntries } from '../audit/table.ts';
import { certificateRequests, certificates, googleIssuers } from '../certificates/table.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { earlierEvents, events } from '../events/table.ts';
import { idempotencyKeys, replySubjects } from '../idempotency/table.ts';
import { messages } from '../messages/table.ts';
import { notifications } from '../notifications/table.ts';
import { passFacts } from '../pass-facts/table.ts';
import {
  activePassCounts,
  bundleLinks,
  passDocuments,
  passErasures,
  passes,
  passTombstones,
  uniquePropertyValues,
} from '../passes/table.ts';
import { appliedItems, processes } from '../processes/table.ts';
import { projects } from '../projects/table.ts';
import { earlierPendingPushes, NO_RANGE, pendingPushes, pushFanOuts, pushPages } from '../pushes/table.ts';
import { registrations, takenCallbacks } from '../registrations/table.ts';
import { segments } from '../search/table.ts';
import { signingKeys } from '../signing-keys/table.ts';
import { dailyCounts, hourlyCounts } from '../statistics/table.ts';
import {
  customNumbers,
  templateDeletions,
  templates,
  templateVersions,
  uniquePropertyChanges,
} from '../templates/table.ts';
import {
  earlierDeliveries,
  webhookDeliveries,
  webhookPayloadCounts,
  webhookPayloads,
  webhookSubscriptions,
} from '../webhooks/table.ts';

/*
 * The tables that move with an account. A test checks that each table of the database is listed here or has a reason to
 * stay. `:account` stands for the account's identifier, and `:row` for the row, which is NEW or OLD in triggers.
 */

/** How to find, copy and identify the rows of an account in a table. */
export interface MovedTable {
  name: string;
  table: SQLiteTable;
  /** Copied columns, in the order of a row's values. */
  columns: string[];
  /** Columns that identify a row in every database. */
  key: string[];
  /** SQL condition for the account's rows, which uses an index on large tables. */
  of: string;
  /** SQL condition for `:row`, which reads only that row and the rows it references. */
  isOf: string;
  /** Whether the row itself names its account. */
  hasAccount: boolean;
  isKeyed: boolean;
  /** By column: SQL that replaces what only this database can read, such as row numbers, with a portable value. */
  read: Record<string, string>;
  /** By column: SQL that converts the portable `:value` back. */
  write: Record<string, string>;
  /** By column: SQL that the target computes from the value of another column, `alsoOf`. */
  also: Record<string, string>;
  alsoOf?: string;
  /** SQL condition for the rows to copy; empty: all. */
  only: string;
  /** Whether rows start background work. The switch deletes them from the old copy. */
  isWork: boolean;
}

interface Options extends Partial<Omit<MovedTable, 'name' | 'table' | 'columns' | 'hasAccount' | 'isKeyed'>> {
  /** Columns that each database fills itself. */
  without?: string[];
}

const OWN = ':row.account_id = :account';

function moved(table: SQLiteTable, options: Options = {}): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const primary = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary);
  const { without = [], key = primary.map((column) => column.name), read = {}, write = {}, isWork = false } = options;
  const { also = {}, alsoOf, only = '' } = options;
  const isOf = options.isOf ?? OWN;
  return {
    ...{ name, table, key, isOf, read, write, also, alsoOf, only, isWork },
    of: options.of ?? isOf.replaceAll(':row.', ''),
    columns: columns.flatMap(({ name, generated }) => (generated || without.includes(name) ? [] : name)),
    hasAccount: options.of === undefined,
    isKeyed: isWithoutRowid(table),
  };
}

/** Describes a table whose rows reference a row of the account instead of the account itself. */
function below(table: SQLiteTable, column: string, parents: string[][], options: Options = {}): MovedTable {
  const lists = parents.map(([parent, id]) => `select ${id} from ${parent} where account_id = :account`);
  const rows = parents.map(
    ([parent, id]) =>
      `exists (select 1 from ${parent} as up where up.${id} = :row.${column} and up.account_id = :account)`,
  );
  return moved(table, {
    of: `${column} in (${lists.join(' union all ')})`,
    isOf: `(${rows.join(' or ')})`,
    ...options,
  });
}

const TEMPLATES = [
  ['templates', 'id'],
  ['template_deletions', 'template_id'],
];

/** Passes are copied with their dependent rows, which are all replaced when a pass changes. */
export const PASSES = moved(passes, { without: ['key'], key: ['id'] });

/** Dependent rows of passes. `pass` is the column that references the pass, by its `id` or its `key`. */
export const OF_PASSES: (MovedTable & { pass: string; by: 'id' | 'key' })[] = [
  {
    ...below(passFacts, 'pass_key', [['passes', 'key']], {
      ...{ without: ['key', 'pass_key', 'has_moved'], key: ['began_at'] },
      ...{ also: { has_moved: 'true' }, alsoOf: 'began_at' },
    }),
    ...{ pass: 'pass_key', by: 'key' },
  },
  {
    ...below(passDocuments, 'key', [['passes', 'key']], { without: ['key'], key: [] }),
    ...{ pass: 'key', by: 'key' },
  },
  {
    ...below(uniquePropertyValues, 'pass_id', [['passes', 'id']], { key: ['template_id', 'property_id', 'value'] }),
    ...{ pass: 'pass_id', by: 'id' },
  },
];

/**
 * Large tables, copied page by page while callers keep writing. Passes come first, because the cron deletes rows
 * without a pass.
 */
export const STREAMED: MovedTable[] = [
  PASSES,
  moved(passTombstones),
  moved(registrations),
  // Each row belongs to a pass or its tombstone.
  below(takenCallbacks, 'pass_id', [
    ['passes', 'id'],
    ['pass_tombstones', 'pass_id'],
  ]),
  moved(bundleLinks),
  // JSON can't hold bytes.
  moved(events, {
    read: { template: uuidText('template'), pass: uuidText('pass') },
    write: { template: UUID_BYTES, pass: UUID_BYTES },
  }),
  moved(earlierEvents, { without: ['key'], key: ['id'] }),
  moved(messages),
  moved(appScans),
  // Entries that are away are about to be forwarded to the database of the account.
  moved(auditEntries, { isOf: `${OWN} and :row.is_away is null` }),
  moved(idempotencyKeys),
  moved(replySubjects),
  moved(webhookPayloads, { without: ['sequence'], key: ['id'] }),
  // Deliveries of deleted webhooks stay behind: nobody sees them.
  below(webhookDeliveries, 'subscription_id', [['webhook_subscriptions', 'id']]),
  below(earlierDeliveries, 'subscription_id', [['webhook_subscriptions', 'id']]),
  moved(dailyCounts),
];

const KEYS_OF_PAGE = `(select json_group_array(of_page.id) from json_each(push_pages.keys) as one
  join passes as of_page on of_page.key = one.value)`;
const PAGE_OF_KEYS = (what: string) =>
  `(select ${what} from json_each(:value) as one join passes as of_page on of_page.id = one.value)`;

/** Small tables and those that start work, copied as a whole while callers can only read. Parents come first. */
export const COPIED_LAST: MovedTable[] = [
  moved(accounts, { isOf: ':row.id = :account', without: ['is_suspended', 'lives_in'] }),
  moved(accountContacts),
  moved(activePassCounts),
  moved(apiKeys),
  moved(appConfigurations),
  moved(appConfigurationLinks),
  moved(certificates),
  moved(certificateRequests),
  moved(googleIssuers),
  moved(signingKeys),
  moved(projects),
  moved(segments),
  moved(templates),
  moved(templateDeletions, { isWork: true }),
  below(templateVersions, 'template_id', TEMPLATES),
  below(customNumbers, 'template_id', TEMPLATES),
  moved(uniquePropertyChanges, { isWork: true }),
  moved(notifications, { isWork: true }),
  moved(passErasures, { isWork: true }),
  moved(pendingPushes, { isWork: true }),
  moved(earlierPendingPushes, { isWork: true }),
  moved(pushFanOuts, {
    isWork: true,
    read: {
      cursor: `(select id from passes where template_id = push_fan_outs.template_id and key <= push_fan_outs.cursor
        order by key desc limit 1)`,
    },
    write: { cursor: 'coalesce((select key from passes where id = :value), 0)' },
  }),
  below(pushPages, 'fan_out_id', [['push_fan_outs', 'id']], {
    ...{ without: ['number'], key: ['fan_out_id', 'keys'], isWork: true },
    // A page whose passes were all deleted needs no work.
    only: `${KEYS_OF_PAGE} <> '[]'`,
    // A page of which only some passes remain has no last one.
    read: { keys: KEYS_OF_PAGE, last: `iif(last = ${NO_RANGE}, '[]', ${KEYS_OF_PAGE})` },
    write: {
      keys: PAGE_OF_KEYS('json_group_array(of_page.key)'),
      last: `coalesce(${PAGE_OF_KEYS('max(of_page.key)')}, ${NO_RANGE})`,
    },
    also: { number: PAGE_OF_KEYS('min(of_page.key)') },
    alsoOf: 'keys',
  }),
  moved(processes, { isWork: true }),
  below(appliedItems, 'process_id', [['processes', 'id']], { isWork: true }),
  moved(deadLetters, { isWork: true }),
  moved(webhookPayloadCounts, { isWork: true }),
  moved(webhookSubscriptions),
  // Copied with the place up to which the database has counted: see `statistics/fold-counts.ts`.
  moved(hourlyCounts),
];
