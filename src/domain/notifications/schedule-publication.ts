import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { insertNotification } from './insert-notification.ts';
import { notifications } from './table.ts';

/** Repeats the condition of the index that allows a template one scheduled publication. */
const SCHEDULED_PUBLICATION = sql`version is not null and state = 'scheduled'`;

/**
 * Builds the statement that schedules the publication of a version at `publicationAt` (UTC milliseconds), for the
 * publishing batch; the cron runs `publishVersion`. A scheduled publication moves, never to an earlier version, even in
 * a race. Does nothing unless `condition` holds. Returns a row if it schedules.
 */
export function schedulePublication(
  ctx: AccountContext,
  templateId: string,
  version: number,
  publicationAt: number,
  condition: SQL = sql`true`,
) {
  return insertNotification(ctx, { templateId, publicationAt, text: null, version }, condition)
    .onConflictDoUpdate({
      target: notifications.templateId,
      targetWhere: SCHEDULED_PUBLICATION,
      setWhere: eq(notifications.accountId, ctx.account.id),
      set: {
        version: sql`max(${notifications.version}, excluded.version)`,
        publicationAt: sql`excluded.publication_at`,
        dueAt: sql`excluded.due_at`,
      },
    })
    .returning({ id: notifications.id });
}

/** Builds the statement that deletes all notifications of a template, for the batch that deletes the template. */
export function removeNotifications(ctx: AccountContext, templateId: string | SQL) {
  return ctx.db
    .delete(notifications)
    .where(and(eq(notifications.templateId, templateId), eq(notifications.accountId, ctx.account.id)));
}
