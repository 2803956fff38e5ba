import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../platform/raw-statement.ts';
import { accounts } from './accounts/table.ts';
import type { AccountContext } from './context.ts';
import { DomainError } from './errors.ts';

/**
 * How long the cron leaves the work of a suspended account alone, in milliseconds. Resuming the account ends the wait
 * immediately.
 */
export const SUSPENDED_WAIT_MS = 10 * 60_000;

/**
 * Builds the condition that an account, or one above it, is suspended. Its index holds only suspended accounts, so it
 * reads no row for others.
 */
export function isSuspended(accountId: AnyColumn | SQL | string): SQL<number> {
  return sql`exists (select 1 from ${accounts} as held indexed by accounts_suspended
    where held.id = ${accountId} and held.is_suspended)`;
}

/**
 * Builds the statement that finds a row if the context's account is suspended, for the batch of work that must wait in
 * that case.
 */
export function suspensionQuery({ db, account }: AccountContext) {
  return rawStatement(db, sql`select 1 where ${isSuspended(account.id)}`);
}

/** Creates the error for callers, members and users of a scanner link. */
export function suspended(): DomainError {
  return new DomainError('suspended', 'The account is suspended; contact the operator of the service');
}
