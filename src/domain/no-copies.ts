import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { accounts } from './accounts/table.ts';

/**
 * Builds the condition that a row's account lives in this database. The copy that a move leaves for a day rejects
 * writes, which would fail every cron statement that includes one of its rows. The index holds copies only, so this
 * reads no row if there are none.
 */
export function isNotCopy(accountId: SQLWrapper): SQL {
  return sql`${accountId} not in (select id from ${accounts} indexed by accounts_copies where lives_in is not null)`;
}
