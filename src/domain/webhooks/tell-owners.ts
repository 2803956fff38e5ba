import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import { formatDateTime } from '../../platform/dates.ts';
import type { Handover } from '../../platform/handover.ts';
import { escapeHtml } from '../../platform/html.ts';
import { describeError, logLine } from '../../platform/log.ts';
import { accountContacts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { handOverSystemMail } from '../messages/send-mail.ts';
import { memberships, users } from '../users/table.ts';
import { type Subscription, webhookSubscriptions } from './table.ts';

/** Time within which a mail must have left; then it is tried again. */
const TELLING_MS_MAX = 10 * 60_000;
const SUBSCRIPTIONS_MAX = 20;

/**
 * Cron task: tells the owners of subscriptions that were paused. Each is taken up by one conditional statement and let go once its owners are told, so a run that dies in the middle is
 * made up for, and a mail may then come twice but not never. One whose owners cannot be reached waits by itself and holds up no other.
 */
export async function tellOwners(ctx: Context, now = Date.now()): Promise<void> {
  const { id, tellOwnerAt } = webhookSubscriptions;
  const due = ctx.db.select({ id }).from(webhookSubscriptions).where(lte(tellOwnerAt, now)).limit(SUBSCRIPTIONS_MAX);
  const taken = await ctx.db
    .update(webhookSubscriptions)
    .set({ tellOwnerAt: now + TELLING_MS_MAX })
    .where(inArray(id, due))
    .returning();
  for (const subscription of taken) {
    if (!(await isTold(ctx, subscription))) continue;
    await ctx.db
      .update(webhookSubscriptions)
      .set({ tellOwnerAt: null })
      .where(and(eq(id, subscription.id), eq(webhookSubscriptions.accountId, subscription.accountId)));
  }
}

/** Mails the owners. False when it is to be tried again: none of them could be reached, and that may pass. Who is reached is not told again because of another who is not. */
async function isTold(ctx: Context, subscription: Subscription): Promise<boolean> {
  const outcomes: Handover['outcome'][] = [];
  try {
    for (const to of await ownersOf(ctx, subscription.accountId)) {
      outcomes.push(await mailOwner(ctx, subscription, to));
    }
  } catch (error) {
    logFailure(ctx, subscription, describeError(error));
    return false;
  }
  return outcomes.includes('sent') || !outcomes.includes('unavailable');
}

async function mailOwner(ctx: Context, subscription: Subscription, to: string): Promise<Handover['outcome']> {
  try {
    const handover = await handOverSystemMail(ctx, { to, ...mailOf(ctx, subscription) });
    if (handover.outcome !== 'sent') logFailure(ctx, subscription, handover.reason);
    return handover.outcome;
  } catch (error) {
    logFailure(ctx, subscription, describeError(error));
    return 'unavailable';
  }
}

function logFailure({ requestId }: Context, { id }: Subscription, error: unknown): void {
  logLine('error', { event: 'webhook-owner-not-told', requestId, subscription: id, error });
}

/** Addresses of the account's owners; of a sub-customer that nobody signs in to, that of its contact. */
async function ownersOf(ctx: Context, accountId: string): Promise<string[]> {
  const [owners, [contact]] = await ctx.db.batch([
    ctx.db
      .select({ email: users.email })
      .from(memberships)
      .innerJoin(users, eq(users.id, memberships.userId))
      .where(
        and(
          eq(memberships.accountId, accountId),
          sql`exists (select 1 from json_each(${memberships.privileges}) where value = 'owner')`,
        ),
      ),
    ctx.db.select().from(accountContacts).where(eq(accountContacts.accountId, accountId)),
  ]);
  if (owners.length > 0) return owners.map(({ email }) => email);
  return contact?.contact.email ? [contact.contact.email] : [];
}

function mailOf(ctx: Context, { id, event, targetUrl, failingSinceAt, lastOutcome }: Subscription) {
  const since = `${formatDateTime(failingSinceAt ?? Date.now(), 'UTC')} UTC`;
  const lines = [
    `Nothing could be delivered to ${targetUrl} since ${since}; the last attempt ended with "${lastOutcome}".`,
    `The webhook subscription ${id} (${event}) is paused: its receiver is told nothing until you resume it.`,
    `No event is lost. When the receiver works again, call POST ${ctx.baseUrl}/api/hook/${id}/resume, and then POST ${ctx.baseUrl}/api/hook/${id}/recover with the time since when it failed.`,
  ];
  return {
    subject: `Webhook paused: ${event}`,
    text: lines.join('\n\n'),
    html: lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n'),
  };
}
