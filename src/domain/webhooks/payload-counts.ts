import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { webhookPayloadCounting, webhookPayloadCounts, webhookPayloads } from './table.ts';

/*
 * How many payloads wait, without counting them. `webhook_payload_counts` knows those up to the sequence `counted_to`, behind which few are; whoever takes payloads away corrects it in the same
 * batch. Sequences only rise, and D1 runs one batch after the other, so each payload is counted in exactly once.
 */

const COUNTING_ID = 1;
/** Payloads that one run counts in; the next minute goes on. */
const COUNTED_MAX = 20_000;

const countedTo = sql`coalesce((select ${webhookPayloadCounting.countedTo} from ${webhookPayloadCounting}
  where ${webhookPayloadCounting.id} = ${COUNTING_ID}), 0)`;

/** Which payloads: all of an account, or of one subscription of it. */
export interface PayloadScope {
  accountId: string;
  subscriptionId?: string;
}

/** SQL that holds for the payloads of a scope that are not acknowledged. */
export function isOpenIn({ accountId, subscriptionId }: PayloadScope): SQL {
  const ofSubscription = subscriptionId === undefined ? sql`` : sql`and subscription_id = ${subscriptionId}`;
  return sql`account_id = ${accountId} ${ofSubscription} and acknowledged_at is null`;
}

/** The index that lists those payloads by sequence. */
export function openIndexOf({ subscriptionId }: PayloadScope): SQL {
  return sql.raw(subscriptionId === undefined ? 'webhook_payloads_open' : 'webhook_payloads_open_of_subscription');
}

/** SQL for the number of payloads of a scope that are not acknowledged: reads a row for each subscription, and those that are not counted yet. */
export function openCount(scope: PayloadScope): SQL {
  const { accountId, subscriptionId } = scope;
  const ofSubscription = subscriptionId === undefined ? sql`` : sql`and subscription_id = ${subscriptionId}`;
  return sql`(select coalesce(sum(open), 0) from ${webhookPayloadCounts} where account_id = ${accountId} ${ofSubscription})
    + (select count(*) from ${webhookPayloads} indexed by ${openIndexOf(scope)} where ${isOpenIn(scope)} and sequence > ${countedTo})`;
}

/** The statements that count in what was stored since the last time; a cron task runs them. */
export function countIn(ctx: Context) {
  const last = sql`min(${countedTo} + ${COUNTED_MAX}, coalesce((select max(sequence) from ${webhookPayloads}), 0))`;
  return [
    addToCounts(
      ctx,
      sql`select subscription_id, account_id, count(*) from ${webhookPayloads}
        where sequence > ${countedTo} and sequence <= ${last} and acknowledged_at is null group by subscription_id`,
    ),
    ctx.db
      .insert(webhookPayloadCounting)
      .select(sql`select ${COUNTING_ID}, ${last} where ${last} > ${countedTo}`)
      .onConflictDoUpdate({ target: webhookPayloadCounting.id, set: { countedTo: sql`excluded.counted_to` } }),
  ] as const;
}

/** The statement that counts out payloads which are about to be acknowledged or removed, for the batch that does so. `sequences` selects them. */
export function countOut(ctx: Context, sequences: SQL) {
  return addToCounts(
    ctx,
    sql`select subscription_id, account_id, -count(*) from ${webhookPayloads}
      where sequence in ${sequences} and sequence <= ${countedTo} and acknowledged_at is null group by subscription_id`,
  );
}

/** Adds rows of subscription, account and number. */
function addToCounts(ctx: Context, numbers: SQL) {
  return ctx.db
    .insert(webhookPayloadCounts)
    .select(numbers)
    .onConflictDoUpdate({
      target: webhookPayloadCounts.subscriptionId,
      set: { open: sql`${webhookPayloadCounts.open} + excluded.open` },
    });
}
