import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { GoogleKind } from '../templates/google/kind.ts';
import type { FlightFields } from './values/flight-fields.ts';
import type { PassAppearance, PlacesUsedAt } from './values/pass-fields.ts';

/**
 * SQL for the time from which on the cron asks anew for the images that a pass waits for; null: it waits for none. An
 * index has it in these very words.
 */
export const IMAGES_DUE_AT = sql`appearance ->> '$.pendingImages.dueAt'`;

/**
 * SQL for the end of the account's identifier, which hardly two have. Indexes of names end with it in these very words,
 * because it takes 24 bytes less than the whole (`isNamedIn`).
 */
const ACCOUNT_END = sql`substr(account_id, -12)`;

/** Passes. Times are UTC milliseconds; the identifier names the shard (`platform/ids.ts`). */
export const passes = sqliteTable(
  'passes',
  {
    /** Rises with each pass that is stored; names the pass in the search index, whose lists are in this order. */
    key: integer('key').primaryKey(),
    id: text('id').notNull().unique(),
    accountId: text('account_id').notNull(),
    templateId: text('template_id').notNull(),
    /** Version of the definition that was newest when the pass was created; a later published one takes precedence. */
    templateVersion: integer('template_version').notNull(),
    userProvidedId: text('user_provided_id'),
    /** Readable identifier, unique in the account. */
    generatedId: text('generated_id').notNull(),
    barcodeValue: text('barcode_value').notNull(),
    barcodeAlternativeText: text('barcode_alternative_text'),
    voided: integer('voided', { mode: 'boolean' }).notNull().default(false),
    redeemed: integer('redeemed', { mode: 'boolean' }).notNull().default(false),
    /** Rises by one with each change that a holder can see; part of the cached pass file's name. */
    version: integer('version').notNull().default(1),
    /** A random number for each version (`versions.ts`); 0: the pass is older than revisions. */
    revision: integer('revision').notNull().default(0),
    storedValue: real('stored_value'),
    expirationAt: integer('expiration_at'),
    relevantAt: integer('relevant_at'),
    validAsOfAt: integer('valid_as_of_at'),
    groupingIdentifier: text('grouping_identifier'),
    bundleId: text('bundle_id'),
    /** Secret of the bundle's page, as `bundleCopy` keeps it; set exactly when `bundleId` is. */
    bundlePageToken: text('bundle_page_token'),
    emailRecipient: text('email_recipient'),
    phoneRecipient: text('phone_recipient'),
    downloadPin: text('download_pin'),
    /** Wrong PINs in a row. */
    pinFailures: integer('pin_failures').notNull().default(0),
    /** Until then no PIN is accepted. A negative number is no time: it names the last wrong try (`page/pin.ts`). */
    pinLockedUntilAt: integer('pin_locked_until_at'),
    /** Values of the template's additional properties, by property ID. */
    properties: text('properties', { mode: 'json' }).$type<Record<string, PropertyValue>>().notNull(),
    /** Colors, locations, images and validation places; colors and places are searched (`pass-document.ts`). */
    appearance: text('appearance', { mode: 'json' }).$type<PassAppearance>().notNull(),
    flight: text('flight', { mode: 'json' }).$type<FlightFields>(),
    placesUsedAt: text('places_used_at', {
      mode: 'json',
    }).$type<PlacesUsedAt>(),
    lastUsageAt: integer('last_usage_at'),
    /** The scan that recorded the last usage. */
    lastScanId: text('last_scan_id'),
    /** Until then the download is open although the template blocks it for active passes. */
    downloadEnabledUntilAt: integer('download_enabled_until_at'),
    /** Devices that are registered for the pass; it is active while there is one. */
    numberOfActive: integer('number_of_active').notNull().default(0),
    /** Devices whose registration has ended. */
    numberOfInactive: integer('number_of_inactive').notNull().default(0),
    numberOfPrinted: integer('number_of_printed').notNull().default(0),
    /** When the first device registered: a GET of the file may be a mail scanner's. */
    firstDownloadedAt: integer('first_downloaded_at'),
    /**
     * When Google Wallet got the pass's object, UTC milliseconds; 0: only save links carry it, and Google has it once a
     * holder used one; null: no object at Google. No change of the pass: no new version.
     */
    googlePublishedAt: integer('google_published_at'),
    /** Type of that object, which stays as it is (`google-kind.ts`); null: none yet. */
    googleKind: text('google_kind').$type<GoogleKind>(),
    /** Whether the object has been given a message, which a replacement of it has to keep. */
    googleHasMessages: integer('google_has_messages', { mode: 'boolean' }).notNull().default(false),
    /**
     * The last text that was sent to the pass's holders; iPhones show it because this field of the pass changes.
     * Without the token of a link (`kept-text.ts`).
     */
    pushText: text('push_text'),
    /** Digest of the secret in the address of the download page; the secret itself where `secrets` is null. */
    pageToken: text('page_token').notNull(),
    /** The same of the direct link of the pass file. */
    fileToken: text('file_token').notNull(),
    /** Apple's `authenticationToken`, which never changes, where `secrets` is null; otherwise it is read from there. */
    authenticationToken: text('authentication_token').notNull(),
    /** The three secrets, encrypted (`link-tokens.ts`); null in rows from before, until the cron has moved them. */
    secrets: text('secrets'),
    /**
     * JSON, by code of a field: the text, number and date that search compares, of values of which the database would
     * make others (`search-index/stored-values.ts`). Null: of none, or the pass has a document from before.
     */
    foldedValues: text('folded_values'),
    createdAt: integer('created_at').notNull(),
    modifiedAt: integer('modified_at').notNull(),
  },
  (table) => [
    index('passes_by_template').on(table.templateId, table.id),
    // Fan-outs of pushes page through these by the key. Search finds active passes by it.
    index('passes_active_keys_by_template').on(table.templateId).where(sql`number_of_active > 0`),
    index('passes_at_google_by_template').on(table.templateId).where(sql`google_published_at is not null`),
    // Every index ends with the key, by which passes are in the order in which they were stored.
    index('passes_by_template_modified').on(table.templateId, table.modifiedAt),
    index('passes_by_callers_id').on(table.userProvidedId, ACCOUNT_END).where(sql`user_provided_id is not null`),
    // Most passes show their generated identifier, and have no entry here (`barcodeOwner`).
    index('passes_by_own_barcode').on(table.barcodeValue, ACCOUNT_END).where(sql`barcode_value <> generated_id`),
    uniqueIndex('passes_by_generated_id').on(table.accountId, table.generatedId),
    index('passes_by_bundle').on(table.accountId, table.bundleId, table.id).where(sql`bundle_id is not null`),
    uniqueIndex('passes_by_page_token').on(table.pageToken),
    index('passes_awaiting_images').on(IMAGES_DUE_AT).where(sql`${IMAGES_DUE_AT} is not null`),
    // What changes without a new version of the pass is searched by these; each costs a write only once there is a
    // value.
    index('passes_inactive_by_template').on(table.templateId).where(sql`number_of_inactive > 0`),
    // Most active passes are on one device, and have no entry here.
    index('passes_on_devices_by_template').on(table.templateId, table.numberOfActive).where(sql`number_of_active > 1`),
    // Passes that many devices have removed, which a search phrase of several digits finds.
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
 * The texts of a pass as search compares them, of passes that were last indexed by a release that kept them; the cron
 * empties the table (`removeDocuments`).
 */
export const passDocuments = sqliteTable('pass_documents', {
  /** `passes.key`. */
  key: integer('key').primaryKey(),
  /** All values, folded, a line each; those that no phrase finds stand first. */
  content: text('content').notNull(),
  /**
   * JSON: code of a field to where its value starts in `content` (from 1), its length in characters, and the number and
   * the UTC milliseconds that it reads as, or null.
   */
  fields: text('fields').notNull(),
});

/**
 * Where indexing stored passes anew goes on after an upgrade that changed what is indexed: one row while the cron is at
 * it, none afterwards. A migration that comes with such a change inserts the row.
 */
export const searchReindex = sqliteTable('search_reindex', {
  /** `passes.key` of the last pass that is indexed. */
  afterKey: integer('after_key').primaryKey(),
});

/** Values of properties that must be unique in their template; the primary key is the rule. */
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
 * The one link of all passes of a bundle. A bundle exists while passes name it; its link stays the same while it does,
 * and for some months after (`purge-bundle-links.ts`).
 */
export const bundleLinks = sqliteTable(
  'bundle_links',
  {
    accountId: text('account_id').notNull(),
    bundleId: text('bundle_id').notNull(),
    /** Digest of the secret in the address of the bundle's page; the secret itself where `secret` is null. */
    pageToken: text('page_token').notNull(),
    /** The secret, encrypted (`link-tokens.ts`); null in rows from before, until the cron has moved them. */
    secret: text('secret'),
    createdAt: integer('created_at').notNull(),
    /** When the cron first found no pass in the bundle, UTC milliseconds; null: one is, or joins. */
    emptySinceAt: integer('empty_since_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.bundleId] }),
    uniqueIndex('bundle_links_by_page_token').on(table.pageToken),
  ],
);

export type BundleLink = typeof bundleLinks.$inferSelect;

/**
 * Where moving link tokens of stored rows out of plain text goes on after the upgrade that encrypts them: a row for
 * each part while the cron is at it, none afterwards.
 */
export const linkTokenMoves = sqliteTable('link_token_moves', {
  part: text('part').$type<'passes' | 'bundles' | 'events' | 'files'>().primaryKey(),
  /** The last place that is done, in the order of the part; empty: none. */
  after: text('after').notNull(),
});

/**
 * Number of a template's passes that are on a device; kept, so that neither `maxActivePasses`, which concerns the sum
 * of an account's rows, nor an edit of the template counts passes. No row: none yet.
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
 * Deleted passes that devices or Google had: while a pass stands here, its registrations stay, so that devices hear of
 * its end.
 */
export const passTombstones = sqliteTable(
  'pass_tombstones',
  {
    passId: text('pass_id').primaryKey(),
    accountId: text('account_id').notNull(),
    deletedAt: integer('deleted_at').notNull(),
    /** Type of the object that Google has, or gets by a save link; null: none. */
    googleKind: text('google_kind').$type<GoogleKind>(),
    /** From when on somebody has to end that object (again), UTC milliseconds; null: that is done. */
    googleDueAt: integer('google_due_at'),
  },
  (table) => [
    index('pass_tombstones_by_deletion').on(table.deletedAt),
    index('pass_tombstones_by_google').on(table.googleDueAt).where(sql`google_due_at is not null`),
  ],
);

/**
 * Deleted and anonymized passes whose data still stands in rows of others: scans, events, kept replies, processes. A
 * row goes once nothing is left, and nobody may add to it.
 */
export const passErasures = sqliteTable(
  'pass_erasures',
  {
    passId: text('pass_id').primaryKey(),
    accountId: text('account_id').notNull(),
    /** JSON: what named the pass beside its identifier, because items of processes may. */
    names: text('names', { mode: 'json' }).$type<string[]>().notNull(),
    deletedAt: integer('deleted_at').notNull(),
    /** How often somebody has looked through everything. */
    rounds: integer('rounds').notNull(),
    /** When the cron is to look again. */
    dueAt: integer('due_at').notNull(),
    /** Whether events that receivers have still to get lose their values, too: a person has asked for it. */
    isForced: integer('is_forced', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [index('pass_erasures_by_time').on(table.dueAt)],
);

/** Value of an additional property: text in most types, true or false for a checkbox. */
export type PropertyValue = string | boolean;

/** A pass without what the search index alone has of it. */
export type Pass = Omit<typeof passes.$inferSelect, 'key' | 'foldedValues'>;
export type PassErasure = typeof passErasures.$inferSelect;
