import { and, eq, isNotNull, type SQL } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { schedulePublication } from './schedule-publication.ts';
import { notifications } from './table.ts';

/**
 * Builds the statements that add a publication in the same batch to the list of notifications; a scheduled one is
 * brought forward. They do nothing unless `condition` holds.
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
