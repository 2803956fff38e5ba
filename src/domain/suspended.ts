import { type AnyColumn, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../platform/raw-statement.ts';
import { accounts } from './accounts/table.ts';
import type { AccountContext } from './context.ts';
import { DomainError } from './errors.ts';

/**
 * How long work of a suspended account is left alone before the cron looks at it again; resuming the account ends the
 * wait at once.
 */
export const SUSPENDED_WAIT_MS = 10 * 60_000;

/**
 * SQL that holds when an account, or one above it, is suspended. The index holds suspended accounts only, so this reads
 * no row for others.
 */
export function isSuspended(accountId: AnyColumn | SQL | string): SQL<number> {
  return sql`exists (select 1 from ${accounts} as held indexed by accounts_suspended
    where held.id = ${accountId} and held.is_suspended)`;
}

/**
 * The statement that finds a row when the account of the context is suspended, for the batch of work that is to wait
 * then.
 */
export function suspensionQuery({ db, account }: AccountContext) {
  return rawStatement(db, sql`select 1 where ${isSuspended(account.id)}`);
}

/** Message for callers, members and holders of a scanner link. */
export function suspended(): DomainError {
  return new DomainError('suspended', 'The account is suspended; ask the operator of the service');
}
