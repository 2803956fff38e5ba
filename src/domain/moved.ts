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
