import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { machineTime } from '../platform/clock.ts';
import { accountMoves } from './account-moves/table.ts';
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
export function livesHere(accountId: SQLWrapper): SQL {
  return sql`not exists (select 1 from ${accounts} as copied indexed by accounts_copies
    where copied.id = ${accountId} and copied.lives_in is not null)`;
}

/**
 * Builds the condition that this database accepts writes of a row's account: it lives here, and no move refuses them at
 * this moment. Unlike the clock of the database, `now` is the same for all statements of a batch.
 */
export function acceptsWrites(accountId: SQLWrapper, now = Date.now()): SQL {
  const isRefusing = sql`(${accountMoves.isSealed} or ${accountMoves.blockedUntilAt} > ${machineTime(now)})`;
  return sql`${livesHere(accountId)} and not exists (select 1 from ${accountMoves}
    where ${accountMoves.accountId} = ${accountId} and ${isRefusing})`;
}
