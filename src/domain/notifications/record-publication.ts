import { and, eq, isNotNull, type SQL } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { schedulePublication } from './schedule-publication.ts';
import { notifications } from './table.ts';

/**
 * The statements that note a publication which takes place in the same batch, so that the list of notifications tells
 * it; one that was scheduled is brought forward. They do nothing unless `condition` holds.
 */
export function recordPublication(ctx: AccountContext, templateId: string, version: number, condition: SQL) {
  const now = Date.now();
  return [
    schedulePublication(ctx, templateId, version, now, condition),
    ctx.db
      .update(notifications)
      .set({ state: 'executed', executedAt: now, dueAt: null })
      .where(
        and(
          eq(notifications.templateId, templateId),
          eq(notifications.accountId, ctx.account.id),
          eq(notifications.state, 'scheduled'),
          isNotNull(notifications.version),
          condition,
        ),
      ),
  ] as const;
}
