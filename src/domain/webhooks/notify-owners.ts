import { and, eq, inArray, lte } from 'drizzle-orm';
import { formatDateTime } from '../../platform/dates.ts';
import type { Context } from '../context.ts';
import { link, safeText } from '../messages/system-mail.ts';
import { mailOwners, type OwnerMail } from '../users/mail-owners.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Time limit for sending a mail; after it, the mail is tried again. */
const NOTICE_MS_MAX = 10 * 60_000;
const SUBSCRIPTIONS_MAX = 20;

/**
 * Cron task: notifies the owners of paused subscriptions. A claim is settled after its mail, so a later run repeats the
 * mail of a run that died: it may arrive twice but is never lost. A subscription that was paused again gets another
 * mail. An unreachable owner doesn't block others.
 */
export async function notifyOwners(ctx: Context, now = Date.now()): Promise<void> {
  const { id, notifyOwnerAt } = webhookSubscriptions;
  const due = ctx.db.select({ id }).from(webhookSubscriptions).where(lte(notifyOwnerAt, now)).limit(SUBSCRIPTIONS_MAX);
  const taken = await ctx.db
    .update(webhookSubscriptions)
    .set({ notifyOwnerAt: now + NOTICE_MS_MAX })
    .where(inArray(id, due))
    .returning();
  for (const subscription of taken) {
    if (!(await mailOwners(ctx, mailOf(ctx, subscription)))) continue;
    await ctx.db
      .update(webhookSubscriptions)
      .set({ notifyOwnerAt: null })
      .where(
        and(
          eq(id, subscription.id),
          eq(webhookSubscriptions.accountId, subscription.accountId),
          eq(notifyOwnerAt, now + NOTICE_MS_MAX),
        ),
      );
  }
}

function mailOf(ctx: Context, subscription: Subscription): OwnerMail {
  const { id, accountId, event, targetUrl, failingSinceAt, lastOutcome } = subscription;
  const since = `${formatDateTime(failingSinceAt ?? Date.now(), 'UTC')} UTC`;
  const address = `${ctx.baseUrl}/api/hook/${id}`;
  const lines = [
    safeText`No delivery to ${targetUrl ?? 'the endpoint'} has succeeded since ${since}. Result of the last attempt: "${lastOutcome ?? 'unknown'}".`,
    safeText`The webhook subscription ${id} (${event}) is paused. Deliveries stop until you resume it.`,
    safeText`No events are lost. When the endpoint works again, call POST ${link(`${address}/resume`)}, and then POST ${link(`${address}/recover`)} with the start of the failures as since.`,
  ];
  const failure = { event: 'webhook-owner-not-notified', subscription: id };
  return { accountId, subject: safeText`Webhook paused: ${event}`, lines, failure };
}
