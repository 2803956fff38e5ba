import { isNotNull, type SQL, sql } from 'drizzle-orm';
import { recordActions } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { deadLetters } from './table.ts';

/**
 * Builds the statement that records an action on a letter in the log of its account. A job without an account is not
 * logged. Put it before the change.
 */
export function recordLetters(ctx: Context, action: 'failed_job.discard' | 'failed_job.retry', isTarget: SQL) {
  const target = { type: 'failed_job', id: sql`${deadLetters.id}`, name: sql`${deadLetters.type}` };
  const entry = { action, target, from: deadLetters } as const;
  return recordActions(ctx, deadLetters.accountId, entry, sql`${isTarget} and ${isNotNull(deadLetters.accountId)}`);
}

/** Builds the statement that records a retry of all letters that `isMeant` selects: one entry per account. */
export function recordAllLetters(ctx: Context, isMeant: SQL) {
  const accounts = sql`(select distinct ${deadLetters.accountId} as id from ${deadLetters} where ${isMeant}) as owner`;
  const entry = { action: 'failed_job.retry_all', target: { type: 'failed_job' }, from: accounts } as const;
  return recordActions(ctx, sql`owner.id`, entry, sql`owner.id is not null`);
}
