import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Devices that have, or had, a pass: one row per device and pass, however often it registers. */
export const registrations = sqliteTable(
  'registrations',
  {
    /** Apple's `deviceLibraryIdentifier`; its holder may list the changed passes. */
    deviceId: text('device_id').notNull(),
    passTypeId: text('pass_type_id').notNull(),
    /** The pass, which is the serial number on the device. */
    passId: text('pass_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Address of pushes, the same in all rows of a device and pass type; null once the registration has ended. */
    pushToken: text('push_token'),
    /** Start of the current or last registration. */
    registeredAt: integer('registered_at').notNull(),
    /** Null: the device is registered. */
    endedAt: integer('ended_at'),
    /** Google Wallet: number of saves minus removals; null for devices. */
    saves: integer('saves'),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.passTypeId, table.passId] }),
    // For the newest devices of a pass, and those that left it last.
    index('registrations_begun').on(table.passId, table.registeredAt),
    index('registrations_ended').on(table.passId, table.endedAt).where(sql`ended_at is not null`),
  ],
);

/** Processed callbacks of Google Wallet, so that a repeated one is dropped until Google's message expires. */
export const takenCallbacks = sqliteTable(
  'taken_callbacks',
  {
    passId: text('pass_id').notNull(),
    /** Google's identifier of the message. */
    nonce: text('nonce').notNull(),
    /** Identifies the request that took it: one of several with the same nonce. */
    takenBy: text('taken_by').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.passId, table.nonce] }),
    index('taken_callbacks_by_expiry').on(table.expiresAt),
  ],
);

export type Registration = typeof registrations.$inferSelect;
