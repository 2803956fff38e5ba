import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { accounts } from './accounts/table.ts';

/**
 * SQL that holds for rows of accounts that live in the database. The copy that an account leaves behind for a day
 * refuses writes, and with it every statement of the cron that comes across one of its rows. The index holds copies
 * only, so this reads no row where there is none.
 */
export function isOfNoCopy(accountId: SQLWrapper): SQL {
  return sql`${accountId} not in (select id from ${accounts} indexed by accounts_copies where lives_in is not null)`;
}
