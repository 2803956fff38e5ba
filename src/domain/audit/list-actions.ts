import { and, desc, eq, lt, lte } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { type AuditEntry, auditEntries } from './table.ts';

/** Days for which it is kept who did what. */
export const AUDIT_RETENTION_DAYS = 400;
const DAY_MS = 24 * 60 * 60_000;

/** What people did in the account, newest first; `beforeId` names the last entry of the page before. */
export function listActions(
  ctx: AccountContext,
  { limit, beforeId }: { limit: number; beforeId?: string },
): Promise<AuditEntry[]> {
  const mine = eq(auditEntries.accountId, ctx.account.id);
  return ctx.db
    .select()
    .from(auditEntries)
    .where(beforeId === undefined ? mine : and(mine, lt(auditEntries.id, beforeId)))
    .orderBy(desc(auditEntries.id))
    .limit(limit);
}

/** Cron task: forgets what is older than the retention. */
export async function purgeActions(ctx: Context): Promise<void> {
  await ctx.db.delete(auditEntries).where(lte(auditEntries.createdAt, Date.now() - AUDIT_RETENTION_DAYS * DAY_MS));
}
