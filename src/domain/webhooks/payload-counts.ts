import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { isNotCopy, livesHere } from '../moved.ts';
import { oldestRows, PAGE_ROWS, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import { accountsMovedTo, DIRECTORY } from '../shard-map.ts';
import { webhookPayloadCounts, webhookPayloads, webhookSubscriptions } from './table.ts';

/** Scope of payloads: all of an account, or of one of its subscriptions. */
export interface PayloadScope {
  accountId: string;
  subscriptionId?: string;
}

/** Builds the condition for the payloads of a scope. */
export function ofScope({ accountId, subscriptionId }: PayloadScope): SQL {
  const ofSubscription = subscriptionId === undefined ? sql`` : sql` and subscription_id = ${subscriptionId}`;
  return sql`account_id = ${accountId}${ofSubscription}`;
}

/** Builds the condition for the unacknowledged payloads of a scope. */
export function isOpenIn(scope: PayloadScope): SQL {
  return sql`${ofScope(scope)} and acknowledged_at is null`;
}

/** Returns the index that lists those payloads by sequence. */
export function openIndexOf({ subscriptionId }: PayloadScope): SQL {
  return sql.raw(subscriptionId === undefined ? 'webhook_payloads_open' : 'webhook_payloads_open_of_subscription');
}

/** Builds the number of unacknowledged payloads of a scope; reads one row per subscription. */
export function openCount(scope: PayloadScope): SQL {
  return sql`(select coalesce(sum(open), 0) from ${webhookPayloadCounts} where ${ofScope(scope)})`;
}

/**
 * Builds the statement that counts the payloads stored by the same batch: one per event and pull subscription in
 * `asking`, a join of `event` and subscriptions.
 */
export function countIn(ctx: Context, asking: SQL) {
  const { id, accountId, targetUrl } = webhookSubscriptions;
  return addToCounts(
    ctx,
    sql`select ${id}, ${accountId}, count(*) from ${asking} and ${targetUrl} is null group by ${id}`,
  );
}

/**
 * Builds the statement that subtracts payloads which are about to be acknowledged or removed, for the batch that does
 * so. `sequences` selects them.
 */
export function countOut(ctx: Context, sequences: SQL) {
  return addToCounts(
    ctx,
    sql`select subscription_id, account_id, -count(*) from ${webhookPayloads}
      where sequence in ${sequences} and acknowledged_at is null group by subscription_id`,
  );
}

/** Adds rows of subscription, account and number to the counts. */
function addToCounts(ctx: Context, numbers: SQL) {
  return ctx.db
    .insert(webhookPayloadCounts)
    .select(numbers)
    .onConflictDoUpdate({
      target: webhookPayloadCounts.subscriptionId,
      set: { open: sql`${webhookPayloadCounts.open} + excluded.open` },
    });
}

/** Retention of unacknowledged and of acknowledged payloads. */
export const PAYLOAD_RETENTION_DAYS = 30;
const ACKNOWLEDGED_RETENTION_HOURS = 24;

const HOUR_MS = 60 * 60_000;

/**
 * Cron task: removes payloads that were acknowledged a day ago or weren't acknowledged for thirty days. Reads a handful
 * of rows if nothing is due. Can run concurrently.
 */
export async function purgePayloads(ctx: Context, now = Date.now()): Promise<void> {
  const acknowledgedBefore = now - ACKNOWLEDGED_RETENTION_HOURS * HOUR_MS;
  await removePages(
    ctx,
    sql`(select sequence from ${webhookPayloads} where acknowledged_at <= ${acknowledgedBefore} and ${isNotCopy(webhookPayloads.accountId)} limit ${PAGE_ROWS})`,
  );
  // Payloads are stored soon after their event, except those of accounts that moved in.
  const isOld = sql`triggered_at <= ${now - PAYLOAD_RETENTION_DAYS * 24 * HOUR_MS}`;
  const [columns, condition] = [sql`sequence, triggered_at`, livesHere(webhookPayloads.accountId)];
  const oldest = oldestRows(webhookPayloads, { columns, order: sql`sequence`, isOld, condition });
  await removePages(ctx, sql`(select sequence from ${oldest} where ${isOld})`);
  const movers = accountsMovedTo(ctx.env, ctx.database ?? DIRECTORY);
  if (movers.length === 0) return;
  await removePages(
    ctx,
    sql`(select sequence from json_each(${JSON.stringify(movers)}) as mover
      cross join ${webhookPayloads} indexed by webhook_payloads_open_by_time on account_id = mover.value
      where acknowledged_at is null and ${isOld} and ${condition} limit ${PAGE_ROWS})`,
  );
}

/** Removes the unacknowledged payloads of a subscription. */
export function discardPayloads(ctx: AccountContext, subscriptionId: string): Promise<void> {
  const page = sql`(select sequence from ${webhookPayloads} indexed by webhook_payloads_open_of_subscription
    where subscription_id = ${subscriptionId} and account_id = ${ctx.account.id} and acknowledged_at is null limit ${PAGE_ROWS})`;
  return removePages(ctx, page, Number.POSITIVE_INFINITY);
}

/**
 * Builds the statements that remove the remaining payloads and their count, for the batch that removes the
 * subscription.
 */
export function discardRest(ctx: AccountContext, subscriptionId: string) {
  const { accountId } = webhookPayloads;
  // The plus makes the planner use the index of the subscription.
  const isOpen = and(
    eq(webhookPayloads.subscriptionId, subscriptionId),
    sql`+${accountId} = ${ctx.account.id} and acknowledged_at is null`,
  );
  return [
    ctx.db.delete(webhookPayloads).where(isOpen),
    ctx.db
      .delete(webhookPayloadCounts)
      .where(
        and(
          eq(webhookPayloadCounts.subscriptionId, subscriptionId),
          eq(webhookPayloadCounts.accountId, ctx.account.id),
        ),
      ),
  ] as const;
}

/** Removes the payloads that `page` selects, until it selects none. */
async function removePages(ctx: Context, page: SQL, pagesMax = RUN_PAGES_MAX): Promise<void> {
  await runInPages(
    async () => {
      const [, { meta }] = await ctx.db.batch([
        countOut(ctx, page),
        ctx.db.delete(webhookPayloads).where(sql`sequence in ${page}`),
      ]);
      return meta.changes;
    },
    { pagesMax },
  );
}
