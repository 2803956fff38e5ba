import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Measured values: the highest of an hour, or the last of a day. */
export const serviceSamples = sqliteTable(
  'service_samples',
  {
    period: text('period', { enum: ['hour', 'day'] }).notNull(),
    /** Start of the period, UTC milliseconds. */
    startsAt: integer('starts_at').notNull(),
    /** Values by gauge name. */
    gauges: text('gauges', { mode: 'json' }).$type<Record<string, number>>().notNull(),
    /** When it was last measured. */
    measuredAt: integer('measured_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.period, table.startsAt] })],
);

export type ServiceSample = typeof serviceSamples.$inferSelect;

/** Alerts that are raised, or about to be; others have no row. */
export const serviceAlerts = sqliteTable('service_alerts', {
  name: text('name').primaryKey(),
  /** When it was raised; null: not yet. */
  raisedAt: integer('raised_at'),
  /** How often in a row it was at its limit or, once raised, below it. */
  ticks: integer('ticks').notNull(),
  tickedAt: integer('ticked_at').notNull(),
  /** The last measurement, in words. */
  detail: text('detail').notNull(),
  /** When operators last got a mail about it; null: never. */
  mailedAt: integer('mailed_at'),
});

export type ServiceAlert = typeof serviceAlerts.$inferSelect;

/** Mails to operators that wait to be sent, written in the batch of their cause (transactional outbox). */
export const operatorMails = sqliteTable(
  'operator_mails',
  {
    mailId: text('mail_id').notNull(),
    userId: text('user_id').notNull(),
    subject: text('subject').notNull(),
    /** Paragraphs of plain text, without links. */
    lines: text('lines', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When the cron sends it or, while it is being sent, when that counts as abandoned. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.mailId, table.userId] }), index('operator_mails_due').on(table.dueAt)],
);

export type OperatorMail = typeof operatorMails.$inferSelect;
