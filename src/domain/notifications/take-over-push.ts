import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import type { JobOf } from '../jobs.ts';
import { beginFanOut } from '../pushes/begin-fan-out.ts';
import { notifications } from './table.ts';

/**
 * Takes over a push from the cron, which hands it over until this has happened. Begins its fan-out, with the
 * notification's identifier, and records the time in the same batch. Does nothing for a second delivery of the job, or
 * a notification that is gone or not picked up.
 */
export async function takeOverPush(
  ctx: Context,
  { accountId, notificationId }: JobOf<'push-template-notification'>,
): Promise<void> {
  const isPickedUp = and(
    eq(notifications.id, notificationId),
    eq(notifications.accountId, accountId),
    eq(notifications.state, 'executed'),
    isNotNull(notifications.dueAt),
    isNotNull(notifications.text),
  );
  await ctx.db.batch([
    beginFanOut(
      ctx,
      {
        id: notificationId,
        accountId,
        kind: 'text',
        templateId: sql`${notifications.templateId}`,
        text: sql`${notifications.text}`,
        version: null,
        isOpen: true,
      },
      sql`from ${notifications} where ${isPickedUp}`,
    ),
    ctx.db.update(notifications).set({ takenOverAt: Date.now(), dueAt: null }).where(isPickedUp),
  ]);
}
