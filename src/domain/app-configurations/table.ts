import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const SCAN_PROPERTY_TYPES = ['unicode', 'double', 'boolean'] as const;

/** An additional question of a scan. */
export interface ScanProperty {
  /** `<13 hex>.<8 digits>`, assigned by the service. */
  id: string;
  name: string;
  type: (typeof SCAN_PROPERTY_TYPES)[number];
}

/** Scanner configurations: accepted passes and effects of a scan. Times are UTC milliseconds. */
export const appConfigurations = sqliteTable(
  'app_configurations',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    name: text('name').notNull(),
    /** 0: a scan voids the pass; 1: it records attendance. */
    scanMode: integer('scan_mode').$type<0 | 1>().notNull(),
    /** 0: app; 1: URL. */
    type: integer('type').$type<0 | 1>().notNull(),
    /** Place of the scans; empty: none. */
    place: text('place').notNull(),
    /** Null: passes of all templates. */
    passTemplateId: text('pass_template_id'),
    /** When set, `passTemplateId` is ignored. */
    passTemplateIds: text('pass_template_ids', { mode: 'json' }).$type<string[]>(),
    additionalProperties: text('additional_properties', { mode: 'json' }).$type<ScanProperty[]>().notNull(),
    /** Hexadecimal, as it was sent. */
    backgroundColor: text('background_color'),
    textColor: text('text_color'),
    timeToShowAutoSaveConfirmation: integer('time_to_show_auto_save_confirmation').notNull(),
    showStoredValue: integer('show_stored_value', { mode: 'boolean' }).notNull(),
    /** Whether the `storedValue` of a scan is added to the pass's value instead of replacing it. */
    incrementStoredValue: integer('increment_stored_value', { mode: 'boolean' }).notNull(),
    preventNegativeNumericValues: integer('prevent_negative_numeric_values', { mode: 'boolean' }).notNull(),
    preventNegativeStoredValueBalance: integer('prevent_negative_stored_value_balance', { mode: 'boolean' }).notNull(),
    /** Number of scans that weren't undone; stored, so that lists don't count rows. */
    scanCount: integer('scan_count').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    /** Time of deletion; the row stays until its scans are removed. */
    deletedAt: integer('deleted_at'),
  },
  (table) => [
    index('app_configurations_by_account').on(table.accountId, table.id),
    index('app_configurations_by_deletion').on(table.deletedAt).where(sql`deleted_at is not null`),
  ],
);

/** Links that open the scanner for a configuration. */
export const appConfigurationLinks = sqliteTable(
  'app_configuration_links',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    configurationId: text('configuration_id').notNull(),
    /** SHA-256 of the token in the URL. */
    tokenDigest: text('token_digest').notNull(),
    /** `LinkSecrets` as JSON, encrypted. */
    secrets: text('secrets').notNull(),
    /** Whether the app may change to other configurations of the account. */
    canChangeConfig: integer('can_change_config', { mode: 'boolean' }).notNull(),
    /** From then on the link requires its PIN. */
    validToAt: integer('valid_to_at').notNull(),
    /** First use. */
    usedAt: integer('used_at'),
    /** Wrong PINs in a row. */
    pinFailures: integer('pin_failures').notNull().default(0),
    /** Until then no PIN is accepted. */
    pinLockedUntilAt: integer('pin_locked_until_at'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    index('app_configuration_links_by_configuration').on(table.accountId, table.configurationId, table.id),
    uniqueIndex('app_configuration_links_by_token').on(table.tokenDigest),
  ],
);

export type AppConfiguration = typeof appConfigurations.$inferSelect;
export type AppConfigurationLink = typeof appConfigurationLinks.$inferSelect;
