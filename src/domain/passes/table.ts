import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { GoogleKind } from '../templates/google/kind.ts';
import type { FlightFields, PassAppearance, PlacesUsedAt } from './values/pass-fields.ts';

/**
 * Time from which the cron requests the pending images of a pass again; null: none are pending. An index uses exactly
 * this expression.
 */
export const IMAGES_DUE_AT = sql`appearance ->> '$.pendingImages.dueAt'`;

/**
 * End of the account ID, which hardly two accounts share. Indexes of names end with exactly this expression, because it
 * takes 24 bytes less than the whole ID (`isNamedIn`).
 */
const ACCOUNT_END = sql`substr(account_id, -12)`;

/** Passes. Times are UTC milliseconds; the ID names the shard (`platform/ids.ts`). */
export const passes = sqliteTable(
  'passes',
  {
    /** Increases with each stored pass. Identifies the pass in the search index, whose lists are in this order. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    accountId: text('account_id').notNull(),
    templateId: text('template_id').notNull(),
    /** Version of the newest definition when the pass was created. A later published one takes precedence. */
    templateVersion: integer('template_version').notNull(),
    userProvidedId: text('user_provided_id'),
    /** Readable ID, unique in the account. */
    generatedId: text('generated_id').notNull(),
    barcodeValue: text('barcode_value').notNull(),
    barcodeAlternativeText: text('barcode_alternative_text'),
    voided: integer('voided', { mode: 'boolean' }).notNull().default(false),
    redeemed: integer('redeemed', { mode: 'boolean' }).notNull().default(false),
    /** Incremented with each change that a holder can see; part of the cached pass file's name. */
    version: integer('version').notNull().default(1),
    /** Random number of each version (`versions.ts`); 0: the pass is older than revisions. */
    revision: integer('revision').notNull().default(0),
    storedValue: real('stored_value'),
    expirationAt: integer('expiration_at'),
    relevantAt: integer('relevant_at'),
    validAsOfAt: integer('valid_as_of_at'),
    groupingIdentifier: text('grouping_identifier'),
    bundleId: text('bundle_id'),
    /** Secret of the bundle's page, as `bundleCopy` returns it; set if and only if `bundleId` is. */
    bundlePageToken: text('bundle_page_token'),
    emailRecipient: text('email_recipient'),
    phoneRecipient: text('phone_recipient'),
    downloadPin: text('download_pin'),
    /** Wrong PINs in a row. */
    pinFailures: integer('pin_failures').notNull().default(0),
    /** Until then no PIN is accepted. A negative number isn't a time but the last wrong attempt (`page/pin.ts`). */
    pinLockedUntilAt: integer('pin_locked_until_at'),
    /** Values of the template's additional properties, by property ID. */
    properties: text('properties', { mode: 'json' }).$type<Record<string, PropertyValue>>().notNull(),
    /** Colors, locations, images and validation places. Search covers colors and places (`pass-document.ts`). */
    appearance: text('appearance', { mode: 'json' }).$type<PassAppearance>().notNull(),
    flight: text('flight', { mode: 'json' }).$type<FlightFields>(),
    placesUsedAt: text('places_used_at', {
      mode: 'json',
    }).$type<PlacesUsedAt>(),
    lastUsageAt: integer('last_usage_at'),
    /** Scan that recorded the last usage. */
    lastScanId: text('last_scan_id'),
    /** Until then the download is open even if the template blocks it for active passes. */
    downloadEnabledUntilAt: integer('download_enabled_until_at'),
    /** Devices registered for the pass. It is active while there is at least one. */
    numberOfActive: integer('number_of_active').notNull().default(0),
    /** Devices whose registration has ended. */
    numberOfInactive: integer('number_of_inactive').notNull().default(0),
    numberOfPrinted: integer('number_of_printed').notNull().default(0),
    /** When the first device registered. A download of the file may come from a mail scanner. */
    firstDownloadedAt: integer('first_downloaded_at'),
    /**
     * When Google Wallet received the object, UTC milliseconds; 0: only save links carry it, so Google has it once a
     * holder uses one; null: no object at Google. Doesn't create a new version.
     */
    googlePublishedAt: integer('google_published_at'),
    /** Type of that object, which never changes (`google-object.ts`); null: none yet. */
    googleKind: text('google_kind').$type<GoogleKind>(),
    /** Whether the object has a message, which a replacement of the object must keep. */
    googleHasMessages: integer('google_has_messages', { mode: 'boolean' }).notNull().default(false),
    /**
     * Last text sent to the pass's holders. iPhones show it because this field of the pass changes. Without the token
     * of a link (`kept-text.ts`).
     */
    pushText: text('push_text'),
    /** Digest of the secret in the download page's URL; the secret itself if `secrets` is null. */
    pageToken: text('page_token').notNull(),
    /** Same for the direct link of the pass file. */
    fileToken: text('file_token').notNull(),
    /** Apple's `authenticationToken`, which never changes, if `secrets` is null; otherwise `secrets` holds it. */
    authenticationToken: text('authentication_token').notNull(),
    /** The three secrets, encrypted (`page/links.ts`); null in old rows until the cron has converted them. */
    secrets: text('secrets'),
    /**
     * JSON by field code: text, number and date that search compares, for values that the database would convert
     * differently (`search-index/stored-values.ts`). Null: no such values, or an old document.
     */
    foldedValues: text('folded_values'),
    createdAt: integer('created_at').notNull(),
    modifiedAt: integer('modified_at').notNull(),
  },
  (table) => [
    index('passes_by_template').on(table.templateId, table.id),
    // Fan-outs of pushes page through these by key. Search uses it to find active passes.
    index('passes_active_keys_by_template').on(table.templateId).where(sql`number_of_active > 0`),
    index('passes_at_google_by_template').on(table.templateId).where(sql`google_published_at is not null`),
    // Every index ends with the key, which is the order in which passes were stored.
    index('passes_by_template_modified').on(table.templateId, table.modifiedAt),
    index('passes_by_callers_id').on(table.userProvidedId, ACCOUNT_END).where(sql`user_provided_id is not null`),
    // Most passes show their generatedId and have no entry here (`barcodeOwner`).
    index('passes_by_own_barcode').on(table.barcodeValue, ACCOUNT_END).where(sql`barcode_value <> generated_id`),
    uniqueIndex('passes_by_generated_id').on(table.accountId, table.generatedId),
    index('passes_by_bundle').on(table.accountId, table.bundleId, table.id).where(sql`bundle_id is not null`),
    uniqueIndex('passes_by_page_token').on(table.pageToken),
    index('passes_awaiting_images').on(IMAGES_DUE_AT).where(sql`${IMAGES_DUE_AT} is not null`),
    // Indexes for searching values that change without a new version. Each costs a write only once there is a value.
    index('passes_inactive_by_template').on(table.templateId).where(sql`number_of_inactive > 0`),
    // Most active passes are on one device and have no entry here.
    index('passes_on_devices_by_template').on(table.templateId, table.numberOfActive).where(sql`number_of_active > 1`),
    // Passes removed from ten or more devices: a search phrase of several digits may match them.
    index('passes_often_inactive_by_template')
      .on(table.templateId, table.numberOfInactive)
      .where(sql`number_of_inactive > 9`),
    index('passes_by_template_download_enabled')
      .on(table.templateId, table.downloadEnabledUntilAt)
      .where(sql`download_enabled_until_at is not null`),
    index('passes_printed_by_template').on(table.templateId).where(sql`number_of_printed > 0`),
    index('passes_by_template_last_usage')
      .on(table.templateId, table.lastUsageAt)
      .where(sql`last_usage_at is not null`),
    index('passes_by_template_first_download')
      .on(table.templateId, table.firstDownloadedAt)
      .where(sql`first_downloaded_at is not null`),
  ],
);

/**
 * Texts that search compares, of passes last indexed by a release that stored them here. The cron empties the table
 * (`removeDocuments`).
 */
export const passDocuments = sqliteTable('pass_documents', {
  /** `passes.key`. */
  key: integer('key').primaryKey(),
  /** All values, folded, one per line. Values that no phrase search covers come first. */
  content: text('content').notNull(),
  /**
   * JSON by field code: start of the value in `content` (from 1), its length in characters, and its number and UTC
   * milliseconds, or null.
   */
  fields: text('fields').notNull(),
});

/**
 * Progress of reindexing stored passes after an upgrade that changed the index: one row while the cron works on it. The
 * migration of the change inserts the row.
 */
export const searchReindex = sqliteTable('search_reindex', {
  /** `passes.key` of the last reindexed pass. */
  afterKey: integer('after_key').primaryKey(),
});

/** Values of properties that must be unique in their template. The primary key enforces it. */
export const uniquePropertyValues = sqliteTable(
  'unique_property_values',
  {
    templateId: text('template_id').notNull(),
    propertyId: text('property_id').notNull(),
    value: text('value').notNull(),
    passId: text('pass_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.templateId, table.propertyId, table.value] }),
    index('unique_property_values_by_pass').on(table.passId),
  ],
);

/**
 * Shared link of the passes of a bundle. A bundle exists while passes name it. Its link stays the same that long and
 * some months longer (`purge-bundle-links.ts`).
 */
export const bundleLinks = sqliteTable(
  'bundle_links',
  {
    accountId: text('account_id').notNull(),
    bundleId: text('bundle_id').notNull(),
    /** Digest of the secret in the URL of the bundle's page; the secret itself if `secret` is null. */
    pageToken: text('page_token').notNull(),
    /** Secret, encrypted (`page/links.ts`); null in old rows until the cron has converted them. */
    secret: text('secret'),
    createdAt: integer('created_at').notNull(),
    /** When the cron first found the bundle empty, UTC milliseconds; null: it has passes, or one is joining. */
    emptySinceAt: integer('empty_since_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.bundleId] }),
    uniqueIndex('bundle_links_by_page_token').on(table.pageToken),
  ],
);

export type BundleLink = typeof bundleLinks.$inferSelect;

/**
 * Progress of encrypting the link tokens of stored rows after the upgrade: one row per part while the cron works on it.
 */
export const linkTokenMoves = sqliteTable('link_token_moves', {
  part: text('part').$type<'passes' | 'bundles' | 'events' | 'files'>().primaryKey(),
  /** Last position that is done, in the order of the part; empty: none. */
  after: text('after').notNull(),
});

/**
 * Number of a template's passes that are on a device. Stored, so that `maxActivePasses` (the sum of an account's rows)
 * and edits of a template don't have to count passes. No row: none yet.
 */
export const activePassCounts = sqliteTable(
  'active_pass_counts',
  {
    accountId: text('account_id').notNull(),
    templateId: text('template_id').notNull(),
    active: integer('active').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.templateId] })],
);

/**
 * Deleted passes that devices or Google had. While a row exists, the pass's registrations stay, so that devices learn
 * of the deletion.
 */
export const passTombstones = sqliteTable(
  'pass_tombstones',
  {
    passId: text('pass_id').primaryKey(),
    accountId: text('account_id').notNull(),
    deletedAt: integer('deleted_at').notNull(),
    /** Type of the object that Google has, or may get by a save link; null: none. */
    googleKind: text('google_kind').$type<GoogleKind>(),
    /** When the object is due to be ended, or ended again, UTC milliseconds; null: it has ended. */
    googleDueAt: integer('google_due_at'),
  },
  (table) => [
    index('pass_tombstones_by_deletion').on(table.deletedAt),
    index('pass_tombstones_by_google').on(table.googleDueAt).where(sql`google_due_at is not null`),
  ],
);

/**
 * Deleted and anonymized passes whose data may remain in other rows: scans, events, stored replies, processes. A row is
 * deleted once nothing remains and nothing new can be added.
 */
export const passErasures = sqliteTable(
  'pass_erasures',
  {
    passId: text('pass_id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** JSON: other names of the pass, because items of processes may use them. */
    names: text('names', { mode: 'json' }).$type<string[]>().notNull(),
    deletedAt: integer('deleted_at').notNull(),
    /** How many times the cron has searched all data. */
    rounds: integer('rounds').notNull(),
    /** When the cron checks again. */
    dueAt: integer('due_at').notNull(),
    /** Whether undelivered events lose their values too, because a person requested the deletion. */
    isForced: integer('is_forced', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('pass_erasures_by_time').on(table.dueAt)],
);

/** Value of an additional property: true or false for a checkbox, otherwise text. */
export type PropertyValue = string | boolean;

/** Pass without the columns that only the search index uses. */
export type Pass = Omit<typeof passes.$inferSelect, 'key' | 'foldedValues'>;
export type PassErasure = typeof passErasures.$inferSelect;
