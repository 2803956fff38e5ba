import { type AnyColumn, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { accounts } from './accounts/table.ts';

/**
 * Builds the condition that a row's account lives in this database. The copy that a move leaves for a day rejects
 * writes, which would fail every cron statement that includes one of its rows. The index holds copies only, so this
 * reads no row if there are none.
 */
export function isNotCopy(accountId: SQLWrapper): SQL {
  return sql`${accountId} not in (select id from ${accounts} indexed by accounts_copies where lives_in is not null)`;
}

/**
 * Builds the same condition for frequent statements. It looks up the row's account in the index; the list above is read
 * for each row.
 */
export function livesHere(accountId: AnyColumn): SQL {
  return sql`not exists (select 1 from ${accounts} as copied indexed by accounts_copies
    where copied.id = ${accountId} and copied.lives_in is not null)`;
}
