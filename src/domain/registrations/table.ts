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
  },
  (table) => [
    primaryKey({ columns: [table.deviceId, table.passTypeId, table.passId] }),
    index('registrations_by_pass').on(table.passId),
  ],
);

export type Registration = typeof registrations.$inferSelect;
