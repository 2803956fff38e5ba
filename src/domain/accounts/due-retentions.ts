import { and, asc, eq, inArray, lte } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Account, accounts } from './table.ts';

/** Lease on an account, in milliseconds: a run that dies loses it after this time. */
const LEASE_MS = 10 * 60_000;

/** Claims the accounts whose retention is due, longest due first. Suspended accounts wait. */
export async function claimRetentions(ctx: Context, limit: number, now: number): Promise<Account[]> {
  const due = ctx.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(lte(accounts.retentionDueAt, now), eq(accounts.isSuspended, false)))
    .orderBy(asc(accounts.retentionDueAt))
    .limit(limit);
  return ctx.db
    .update(accounts)
    .set({ retentionDueAt: now + LEASE_MS })
    .where(inArray(accounts.id, due))
    .returning();
}

/** Stores when a claimed account is due again, unless its settings changed since. */
export async function endRetention(ctx: Context, { id, retentionDueAt }: Account, dueAt: number): Promise<void> {
  const isTaken = and(eq(accounts.id, id), eq(accounts.retentionDueAt, retentionDueAt!));
  await ctx.db.update(accounts).set({ retentionDueAt: dueAt }).where(isTaken);
}
