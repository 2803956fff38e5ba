import { and, eq, sql } from 'drizzle-orm';
import type { ActionName } from '../audit/actions.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { canUse, isPermitted, templateTarget } from '../template-restriction.ts';
import { notifications } from './table.ts';

/**
 * Deletes a notification that is still scheduled; either the delete or the pickup of the cron wins. One round trip.
 * Throws not found for an unknown one, `unauthorized` for that of another account (the contract tells the two apart
 * here), and `invalid` for an executed one.
 */
export async function deleteNotification(ctx: AccountContext, id: string): Promise<void> {
  const isTarget = and(
    eq(notifications.id, id),
    eq(notifications.accountId, ctx.account.id),
    eq(notifications.state, 'scheduled'),
    isPermitted(ctx, notifications.templateId),
  );
  const action = sql<ActionName>`iif(${notifications.version} is null, 'notification.delete', 'template.cancel_publication')`;
  const target = templateTarget(ctx, sql`${notifications.templateId}`);
  await enterOnce(ctx, `delete notification ${id}`, async (entryId) => {
    const [, deleted, [left]] = await ctx.db.batch([
      recordAction(ctx, { id: entryId, action, target, from: notifications }, isTarget),
      ctx.db.delete(notifications).where(isTarget).returning({ id: notifications.id }),
      ctx.db
        .select({ accountId: notifications.accountId, templateId: notifications.templateId })
        .from(notifications)
        .where(eq(notifications.id, id)),
    ]);
    if (deleted.length === 0) throw refusalOf(ctx, left);
  });
}

/** Returns why a notification was not deleted; `left` is its row, if it exists. */
function refusalOf(ctx: AccountContext, left: { accountId: string; templateId: string } | undefined): DomainError {
  if (!left || !canUse(ctx, left.templateId)) return notFound();
  if (left.accountId === ctx.account.id) return invalid('The notification was already executed');
  return new DomainError('unauthorized', 'The notification belongs to a template that this account cannot access');
}
