import { DomainError } from './errors.ts';

/*
 * What a database says of an account that moves away from it, or has moved (docs/adr/0013-account-moves.md). Its
 * triggers refuse writes with these texts.
 */

export const BEING_MOVED = 'the account is being moved';
export const WAS_MOVED = 'the account was moved';

/** Writes are refused for about so long. */
const RETRY_AFTER_S = 2;

/** The rows of an account were found in a database in which it does not live: the map that led there is old. */
export class AccountMoved extends Error {
  override name = 'AccountMoved';
  accountId: string;

  constructor(accountId: string) {
    super(WAS_MOVED);
    this.accountId = accountId;
  }
}

/** Returns why a move has refused a write: `moving` passes within seconds, `moved` needs another map. */
export function moveRefusal(error: unknown): 'moving' | 'moved' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof DomainError && error.kind === 'unavailable') return 'moving';
  if (error.message.includes(WAS_MOVED)) return 'moved';
  return error.message.includes(BEING_MOVED) ? 'moving' : moveRefusal(error.cause);
}

/** A request that cannot be answered now, because its account moves to another database (503). */
export function beingMoved(): DomainError {
  const error = new DomainError('unavailable', 'The account is being moved to another database; try again soon');
  error.retryAfterSeconds = RETRY_AFTER_S;
  return error;
}
