import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Devices that have, or had, a pass: one row for a device and a pass, however often it registers. */
export const registrations = sqliteTable(
  'registrations',
  {
    /** Apple's `deviceLibraryIdentifier`; whoever knows it may ask which passes changed. */
    deviceId: text('device_id').notNull(),
    passTypeId: text('pass_type_id').notNull(),
    /** The pass, which is the serial number on the device. */
    passId: text('pass_id').notNull(),
    accountId: text('account_id').notNull(),
    /** Where pushes go, the same in all rows of a device and pass type; null once the registration has ended. */
    pushToken: text('push_token'),
    /** When the present registration began, or the last one. */
    registeredAt: integer('registered_at').notNull(),
    /** Null: the device is registered. */
    endedAt: integer('ended_at'),
    /** Google Wallet: how often holders have saved the pass, less how often they removed it; null for devices. */
    saves: integer('saves'),
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.passTypeId, table.passId] }),
    // Devices of a pass, the newest of them, and those that left it last.
    index('registrations_begun').on(table.passId, table.registeredAt),
    index('registrations_ended').on(table.passId, table.endedAt).where(sql`ended_at is not null`),
  ],
);

/** Callbacks of Google Wallet that were taken, so that a repeated one is dropped, until Google's message expires. */
export const takenCallbacks = sqliteTable(
  'taken_callbacks',
  {
    passId: text('pass_id').notNull(),
    /** Google's name for the message. */
    nonce: text('nonce').notNull(),
    /** Names the request that took it: of several with the same nonce, one. */
    takenBy: text('taken_by').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.passId, table.nonce] }),
    index('taken_callbacks_by_expiry').on(table.expiresAt),
  ],
);

export type Registration = typeof registrations.$inferSelect;
