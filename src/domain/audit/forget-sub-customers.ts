import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { OwnerContext } from '../context.ts';
import { auditEntries } from './table.ts';

/**
 * The statement that removes the identifiers of deleted sub-customers from the log of the account above them; `ids` is
 * SQL for a query of them.
 */
export function forgetSubCustomers(ctx: OwnerContext, ids: SQL) {
  const isCreation = and(eq(auditEntries.accountId, ctx.account.id), eq(auditEntries.action, 'account.create'));
  return ctx.db
    .update(auditEntries)
    .set({ targetId: null })
    .where(and(isCreation, sql`${auditEntries.targetId} in ${ids}`));
}
