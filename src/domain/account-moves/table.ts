import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/raw-statement.ts';

/**
 * State of a move. `copying`: callers can write, and changed rows are copied again. `sealed`: the copy is complete, and
 * this database refuses writes. `moved`: the account lives in the other database.
 */
export type MoveStep = 'copying' | 'sealed' | 'moved';

/** Accounts that move or moved from this database to another. A row is deleted after the last of the old copy. */
export const accountMoves = sqliteTable('account_moves', {
  accountId: text('account_id').primaryKey(),
  /** Name of the target database. */
  target: text('target').notNull(),
  step: text('step').$type<MoveStep>().notNull(),
  /** Token of the command that works on the move. A later command takes over. */
  claim: text('claim').notNull(),
  /** Index of the next table to copy in `STREAMED` (`moved-tables.ts`), then, counted on, of the next to compare. */
  tableIndex: integer('table_index').notNull(),
  /** The place in that table after which the command continues, as JSON; null: at its start. */
  place: text('place'),
  startedAt: integer('started_at').notNull(),
  /** The triggers refuse writes until then. It ends on its own if the command dies. */
  blockedUntilAt: integer('blocked_until_at').notNull(),
  /** Whether the triggers refuse all writes. */
  isSealed: integer('is_sealed', { mode: 'boolean' }).notNull(),
  /** When writes were last blocked. */
  blockedAt: integer('blocked_at'),
  /** How long writes were refused, in milliseconds; set once the account has moved. */
  readOnlyMs: integer('read_only_ms'),
  /** Rows by table, once all are copied. */
  rows: text('rows', { mode: 'json' }).$type<Record<string, number>>(),
  movedAt: integer('moved_at'),
  /** Whether the tables still have the triggers. */
  hasTriggers: integer('has_triggers', { mode: 'boolean' }).notNull(),
});

/**
 * Rows of moving accounts that changed: in the old database during the copy, and in the target since it was compared.
 * Triggers add them, and they live for seconds.
 */
export const accountChanges = withoutRowid(
  sqliteTable(
    'account_changes',
    {
      accountId: text('account_id').notNull(),
      /** Increases with each change. */
      number: integer('number').notNull(),
      table: text('table_name').notNull(),
      /** The row's key, as a JSON list. */
      key: text('key').notNull(),
    },
    (table) => [primaryKey({ columns: [table.accountId, table.number] })],
  ),
);

export type AccountMove = typeof accountMoves.$inferSelect;

export type AccountChange = typeof accountChanges.$inferSelect;
