import { and, eq, isNotNull } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { notifications } from './table.ts';

/**
 * Job: takes a push over from the cron, which hands it over again until this has happened. Notes the time; a second delivery of the job, and one for a
 * notification that is gone or not picked up, finds nothing to do.
 */
export async function takeOverPush(ctx: Context, notificationId: string): Promise<void> {
  await ctx.db
    .update(notifications)
    .set({ takenOverAt: Date.now(), dueAt: null })
    .where(
      and(eq(notifications.id, notificationId), eq(notifications.state, 'executed'), isNotNull(notifications.dueAt)),
    );
}
