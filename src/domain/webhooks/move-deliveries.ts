import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isNotCopy } from '../moved.ts';
import { PAGE_ROWS, runInPages } from '../purge.ts';
import { earlierDeliveries, webhookDeliveries, webhookSubscriptions } from './table.ts';

/**
 * Cron task: moves deliveries stored before release 0.2.0: first due ones, for `sweepDeliveries` to find, then ended
 * ones, newest first. Deliveries being attempted stay until they end or are due again.
 */
export async function moveDeliveries(ctx: Context, now = Date.now()): Promise<void> {
  const pageOf = (condition: SQL) => sql`rowid in (select rowid from ${earlierDeliveries}
    where ${condition} and ${isNotCopy(accountOf(sql`${earlierDeliveries.subscriptionId}`))} order by rowid desc limit ${PAGE_ROWS})`;
  for (const page of [pageOf(sql`next_attempt_at <= ${now}`), pageOf(sql`next_attempt_at is null`)]) {
    const move = async () => (await ctx.db.batch(moveStatements(ctx, page)))[1].meta.changes;
    await runInPages(move, { enough: PAGE_ROWS });
  }
}

/** Builds the account of a subscription; an empty text if it is gone. */
export function accountOf(subscriptionId: SQL): SQL {
  const { id, accountId } = webhookSubscriptions;
  return sql`coalesce((select ${accountId} from ${webhookSubscriptions} where ${id} = ${subscriptionId}), '')`;
}

/** Builds the statements that move deliveries of the earlier release that meet `condition`. */
export function moveStatements({ db }: Pick<Context, 'db'>, condition: SQL) {
  const found = db.select().from(earlierDeliveries).where(condition);
  return [
    db.insert(webhookDeliveries).select(found).onConflictDoNothing(),
    db.delete(earlierDeliveries).where(condition),
  ] as const;
}
