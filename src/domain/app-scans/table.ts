import { sql } from 'drizzle-orm';
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Why a scan ended as it did: more than its status tells. */
export type ScanReason =
  /** The pass is good. */
  | 'accepted'
  /** It was voided before. */
  | 'voided'
  /** It is valid at certain places, and was used at this one before. */
  | 'used'
  /** It is valid at certain places, and this is none of them. */
  | 'elsewhere'
  /** There is no such pass. */
  | 'unknown'
  /** The configuration is for passes of other templates. */
  | 'uncovered'
  /** The caller decided and sent a status. */
  | 'told';

/** Statuses of a pass that was let in, by scan mode (specification, "Scan status values"). */
export const ACCEPTED_STATUSES = [0, 2] as const;
/** Status of a pass that is refused. */
export const REFUSED_STATUS = 1;
/** Status without a pass. */
export const UNKNOWN_STATUS = 3;

/** Value of an additional property of a scan. */
export type ScanValue = string | number | boolean;

/** Single scans. Times are UTC milliseconds. */
export const appScans = sqliteTable(
  'app_scans',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    configurationId: text('configuration_id').notNull(),
    /** The link whose app made the scan; null: a caller of the API. */
    linkId: text('link_id'),
    /** UUID that the scanning device gave, so that a repeated message counts once. */
    clientId: text('client_id'),
    passId: text('pass_id'),
    /** Specification, "Scan status values"; or what the caller sent. */
    scanStatus: integer('scan_status').notNull(),
    reason: text('reason').$type<ScanReason>().notNull(),
    scannedBarcodeValue: text('scanned_barcode_value'),
    deviceName: text('device_name'),
    /** Values by property ID. */
    additionalProperties: text('additional_properties', { mode: 'json' }).$type<Record<string, ScanValue>>().notNull(),
    /** As it was sent. */
    storedValue: real('stored_value'),
    /** Whether this scan voided the pass. */
    hasVoided: integer('has_voided', { mode: 'boolean' }).notNull(),
    /** The pass's value before and after, when this scan changed it. */
    storedValueBefore: real('stored_value_before'),
    storedValueAfter: real('stored_value_after'),
    /** The pass's usages before an accepted scan, for its undoing. */
    previousScanId: text('previous_scan_id'),
    previousUsageAt: integer('previous_usage_at'),
    /** Where a usage was recorded. */
    place: text('place'),
    previousPlaceUsageAt: integer('previous_place_usage_at'),
    /** When the pass was scanned, which for offline scanners is before it was told. */
    createdAt: integer('created_at').notNull(),
    undoneAt: integer('undone_at'),
  },
  (table) => [
    index('app_scans_by_account').on(table.accountId, table.createdAt, table.id),
    index('app_scans_by_configuration').on(table.configurationId, table.createdAt, table.id),
    index('app_scans_by_pass').on(table.passId, table.createdAt).where(sql`pass_id is not null`),
    index('app_scans_by_link').on(table.linkId, table.id).where(sql`link_id is not null`),
    uniqueIndex('app_scans_by_client_id').on(table.accountId, table.clientId).where(sql`client_id is not null`),
  ],
);

export type AppScan = typeof appScans.$inferSelect;
