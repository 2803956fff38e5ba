import { sql } from 'drizzle-orm';
import { customType, index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { ValidityReason } from '../validity-reasons.ts';

/** Reason of a scan's result: more specific than its status. */
export type ScanReason =
  | ValidityReason
  /** The pass is valid. */
  | 'accepted'
  /** The configuration is for other templates; callers get `not_found`. */
  | 'uncovered'
  /** The caller decided and sent a status. */
  | 'told';

/** Names in rows of earlier versions, including a version that still runs. */
const EARLIER_REASONS: Record<string, ScanReason> = {
  used: 'already_used',
  elsewhere: 'wrong_place',
  unknown: 'not_found',
};

/** Returns the reason in a row, whichever version wrote it. */
export function storedReason(stored: string): ScanReason {
  return EARLIER_REASONS[stored] ?? (stored as ScanReason);
}

/** Returns every stored name of a reason. */
export function storedNames(reason: ScanReason): string[] {
  return [reason, ...Object.keys(EARLIER_REASONS).filter((name) => EARLIER_REASONS[name] === reason)];
}

const reasonText = customType<{ data: ScanReason; driverData: string }>({
  dataType: () => 'text',
  fromDriver: storedReason,
});

/** Status of a pass that stays valid. */
export const NOTED_STATUS = 2;
/** Statuses of an accepted pass, by scan mode. */
export const ACCEPTED_STATUSES = [0, NOTED_STATUS] as const;
/** Status of a rejected pass. */
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
    /** Link whose app made the scan; null: a caller of the API. */
    linkId: text('link_id'),
    /** UUID from the scanning device, so that a repeated message counts once. */
    clientId: text('client_id'),
    passId: text('pass_id'),
    /** Specification, "Scan status values"; or what the caller sent. */
    scanStatus: integer('scan_status').notNull(),
    reason: reasonText('reason').notNull(),
    scannedBarcodeValue: text('scanned_barcode_value'),
    deviceName: text('device_name'),
    /** Values by property ID. */
    additionalProperties: text('additional_properties', { mode: 'json' }).$type<Record<string, ScanValue>>().notNull(),
    /** As it was sent. */
    storedValue: real('stored_value'),
    hasVoided: integer('has_voided', { mode: 'boolean' }).notNull(),
    /** The pass's value before and after, if this scan changed it. */
    storedValueBefore: real('stored_value_before'),
    storedValueAfter: real('stored_value_after'),
    /** The pass's usages before an accepted scan, to undo it. */
    previousScanId: text('previous_scan_id'),
    previousUsageAt: integer('previous_usage_at'),
    /** Place of the usage. */
    place: text('place'),
    previousPlaceUsageAt: integer('previous_place_usage_at'),
    /** Scan time, which for offline scanners is before the request. */
    createdAt: integer('created_at').notNull(),
    undoneAt: integer('undone_at'),
  },
  (table) => [
    index('app_scans_by_account').on(table.accountId, table.createdAt, table.id),
    index('app_scans_by_configuration').on(table.configurationId, table.createdAt, table.id),
    index('app_scans_by_pass').on(table.passId, table.createdAt).where(sql`pass_id is not null`),
    // Scans of codes that named no pass then, for the erasure of a pass that has the code.
    index('app_scans_by_code')
      .on(table.accountId, table.scannedBarcodeValue)
      .where(sql`pass_id is null and scanned_barcode_value is not null`),
    index('app_scans_by_link').on(table.linkId, table.id).where(sql`link_id is not null`),
    uniqueIndex('app_scans_by_client_id').on(table.accountId, table.clientId).where(sql`client_id is not null`),
  ],
);

export type AppScan = typeof appScans.$inferSelect;
