import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { withoutRowid } from '../../platform/row-key.ts';

/**
 * How far a move has come: callers write, and what they change is copied again (`copying`); the copy is complete, and
 * nothing is written here any more (`sealed`); the account lives in the other database (`moved`).
 */
export type MoveStep = 'copying' | 'sealed' | 'moved';

/** Accounts that move, or have moved, from this database to another; a row goes with the last of the old copy. */
export const accountMoves = sqliteTable('account_moves', {
  accountId: text('account_id').primaryKey(),
  /** Name of the database that it moves to. */
  target: text('target').notNull(),
  step: text('step').$type<MoveStep>().notNull(),
  /** Token of the command that works on it: a later one takes over. */
  claim: text('claim').notNull(),
  /** The table that is copied next, as a place in the list of them (`moved-tables.ts`). */
  tableIndex: integer('table_index').notNull(),
  /** The place in that table behind which copying goes on, as JSON; null: at its beginning. */
  place: text('place'),
  startedAt: integer('started_at').notNull(),
  /** Until then the triggers refuse writes, so that those of a command that died are taken again. */
  blockedUntilAt: integer('blocked_until_at').notNull(),
  /** Whether the triggers refuse all writes. */
  isSealed: integer('is_sealed', { mode: 'boolean' }).notNull(),
  /** When it was begun to refuse writes, for the last time. */
  blockedAt: integer('blocked_at'),
  /** How long writes were refused, in milliseconds, once the account lives in the other database. */
  readOnlyMs: integer('read_only_ms'),
  /** Rows by table, once all are copied. */
  rows: text('rows', { mode: 'json' }).$type<Record<string, number>>(),
  movedAt: integer('moved_at'),
  /** Whether triggers still stand on the tables. */
  hasTriggers: integer('has_triggers', { mode: 'boolean' }).notNull(),
});

/** Rows of moving accounts that were changed while they were copied. Triggers write it; rows live for seconds. */
export const accountChanges = withoutRowid(
  sqliteTable(
    'account_changes',
    {
      accountId: text('account_id').notNull(),
      /** Rises with each change. */
      number: integer('number').notNull(),
      table: text('table_name').notNull(),
      /** The row's key, as a JSON list. */
      key: text('key').notNull(),
    },
    (table) => [primaryKey({ columns: [table.accountId, table.number] })],
  ),
);

export type AccountMove = typeof accountMoves.$inferSelect;
