import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { machineTime } from '../platform/clock.ts';
import { accountMoves } from './account-moves/table.ts';
import { accounts } from './accounts/table.ts';
import { DomainError } from './errors.ts';

/*
 * Errors of a database for an account that is being moved away, or has moved (docs/adr/0013-account-moves.md). Its
 * triggers reject writes with these texts.
 */

export const BEING_MOVED = 'the account is being moved';
export const WAS_MOVED = 'the account was moved';

/** Seconds for which writes are rejected, approximately. */
const RETRY_AFTER_S = 2;

/**
 * Thrown if rows of an account were found in a database where it no longer lives: the map of databases was outdated.
 */
export class AccountMoved extends Error {
  override name = 'AccountMoved';
  accountId: string;

  constructor(accountId: string) {
    super(WAS_MOVED);
    this.accountId = accountId;
  }
}

/**
 * Returns why a move rejected a write: `moving` ends within seconds, `moved` requires a newer map. Undefined for other
 * errors.
 */
export function moveRefusal(error: unknown): 'moving' | 'moved' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof DomainError && error.kind === 'unavailable') return 'moving';
  if (error.message.includes(WAS_MOVED)) return 'moved';
  return error.message.includes(BEING_MOVED) ? 'moving' : moveRefusal(error.cause);
}

/** Creates the error of a request that can't be answered while its account is being moved to another database (503). */
export function beingMoved(): DomainError {
  const error = new DomainError('unavailable', 'The account is being moved to another database; try again soon');
  error.retryAfterSeconds = RETRY_AFTER_S;
  return error;
}

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
