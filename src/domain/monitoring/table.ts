import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What was measured in an hour, the highest values, or on a day, the last ones. */
export const serviceSamples = sqliteTable(
  'service_samples',
  {
    period: text('period', { enum: ['hour', 'day'] }).notNull(),
    /** Its beginning in UTC, milliseconds. */
    startsAt: integer('starts_at').notNull(),
    /** Values by the names of their gauges. */
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
  /** Since when it is raised; null: it is not, yet. */
  raisedAt: integer('raised_at'),
  /** How often in a row it was at its limit or, once raised, below it. */
  ticks: integer('ticks').notNull(),
  tickedAt: integer('ticked_at').notNull(),
  /** What was measured last, in words. */
  detail: text('detail').notNull(),
  /** When operators last got a mail of it; null: they got none. */
  mailedAt: integer('mailed_at'),
});

export type ServiceAlert = typeof serviceAlerts.$inferSelect;

/** Mails to operators that wait to be sent: written in the batch of what they tell (transactional outbox). */
export const operatorMails = sqliteTable(
  'operator_mails',
  {
    mailId: text('mail_id').notNull(),
    userId: text('user_id').notNull(),
    subject: text('subject').notNull(),
    /** Paragraphs. */
    lines: text('lines', { mode: 'json' }).$type<string[]>().notNull(),
    createdAt: integer('created_at').notNull(),
    /** When the cron is to send it or, while it is being sent, when that counts as abandoned. */
    dueAt: integer('due_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.mailId, table.userId] }), index('operator_mails_due').on(table.dueAt)],
);

export type OperatorMail = typeof operatorMails.$inferSelect;
