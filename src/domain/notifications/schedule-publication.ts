import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { insertNotification } from './insert-notification.ts';
import { notifications } from './table.ts';

/** The index that allows a template one scheduled publication, in the words of its own condition. */
const SCHEDULED_PUBLICATION = sql`version is not null and state = 'scheduled'`;

/**
 * The statement that schedules the publication of a template's version at `publicationAt` (UTC milliseconds), for the
 * batch of the verb that publishes; the cron then runs `publishVersion`. A publication that is already scheduled moves
 * there and never to an earlier version, also when two requests race. It does nothing unless `condition` holds. Returns
 * a row when something is scheduled.
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

/** The statement that removes every notification of a template, for the batch that deletes the template. */
export function removeNotifications(ctx: AccountContext, templateId: string | SQL) {
  return ctx.db
    .delete(notifications)
    .where(and(eq(notifications.templateId, templateId), eq(notifications.accountId, ctx.account.id)));
}
