import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { isOfNoCopy } from '../no-copies.ts';
import { inPages, PAGE_ROWS } from '../purge.ts';
import { earlierDeliveries, webhookDeliveries, webhookSubscriptions } from './table.ts';

/**
 * Cron task: moves deliveries that the release before 0.2.0 has stored: those that are due, for `sweepDeliveries` to
 * find, then those that have ended, the newest first. What is being attempted stays until it ends or is due again.
 */
export async function moveDeliveries(ctx: Context, now = Date.now()): Promise<void> {
  const pageOf = (condition: SQL) => sql`rowid in (select rowid from ${earlierDeliveries}
    where ${condition} and ${isOfNoCopy(accountOf(sql`${earlierDeliveries.subscriptionId}`))} order by rowid desc limit ${PAGE_ROWS})`;
  for (const page of [pageOf(sql`next_attempt_at <= ${now}`), pageOf(sql`next_attempt_at is null`)]) {
    const move = async () => (await ctx.db.batch(moveStatements(ctx, page)))[1].meta.changes;
    await inPages(move, { enough: PAGE_ROWS });
  }
}

/** SQL for the account of a subscription; an empty text where it is gone. */
export function accountOf(subscriptionId: SQL): SQL {
  const { id, accountId } = webhookSubscriptions;
  return sql`coalesce((select ${accountId} from ${webhookSubscriptions} where ${id} = ${subscriptionId}), '')`;
}

/** The statements that move deliveries of the release before for which `condition` holds. */
export function moveStatements({ db }: Pick<Context, 'db'>, condition: SQL) {
  const found = db.select().from(earlierDeliveries).where(condition);
  return [
    db.insert(webhookDeliveries).select(found).onConflictDoNothing(),
    db.delete(earlierDeliveries).where(condition),
  ] as const;
}
