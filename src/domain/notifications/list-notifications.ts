import { and, asc, desc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isTemplateNamed, templateIdNamed } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { type Notification, notifications } from './table.ts';

/** Notifications of each state in a list: the next ones, and the latest past ones. */
export const NOTIFICATIONS_LISTED_MAX = 1_000;

/** Notifications of a template, each list in the order of publication. */
export interface NotificationLists {
  scheduled: Notification[];
  executed: Notification[];
}

/**
 * Lists the pushes and publications of a template, at most NOTIFICATIONS_LISTED_MAX of each state. One round trip.
 * Throws not found.
 */
export async function listNotifications(ctx: AccountContext, templateName: string): Promise<NotificationLists> {
  const inState = (state: Notification['state'], order: typeof asc) =>
    ctx.db
      .select()
      .from(notifications)
      .where(
        and(
          eq(notifications.templateId, templateIdNamed(ctx, templateName)),
          eq(notifications.state, state),
          eq(notifications.accountId, ctx.account.id),
        ),
      )
      .orderBy(order(notifications.publicationAt), order(notifications.id))
      .limit(NOTIFICATIONS_LISTED_MAX);
  const [scheduled, executed, [template]] = await ctx.db.batch([
    inState('scheduled', asc),
    inState('executed', desc),
    ctx.db.select({ id: templates.id }).from(templates).where(isTemplateNamed(ctx, templateName)),
  ]);
  if (!template) throw notFound();
  return { scheduled, executed: executed.reverse() };
}
