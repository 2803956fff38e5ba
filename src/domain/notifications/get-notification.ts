import { and, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { type Notification, notifications } from './table.ts';

/** Returns a notification of one of the account's templates. One round trip. Throws not found. */
export async function getNotification(ctx: AccountContext, templateId: string, id: string): Promise<Notification> {
  const [found] = await ctx.db
    .select()
    .from(notifications)
    .where(
      and(
        eq(notifications.id, id),
        eq(notifications.templateId, templateId),
        eq(notifications.accountId, ctx.account.id),
      ),
    );
  if (!found) throw notFound();
  return found;
}
