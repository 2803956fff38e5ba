import { inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { livesHere } from '../moved.ts';
import { passes } from '../passes/table.ts';
import { oldestRows, PAGE_ROWS, runInPages } from '../purge.ts';
import { ROW_SPAN_MS } from './append-facts.ts';
import { passFacts } from './table.ts';

/** Days that facts are shown. A row is deleted once all of its facts are older, up to thirty days later. */
export const FACT_RETENTION_DAYS = 90;
export const FACT_RETENTION_MS = FACT_RETENTION_DAYS * 24 * 3_600_000;

/**
 * Cron task: deletes rows whose facts are too old, the oldest first. Rows begin in the order of their keys, and none
 * covers more than its span. An index lists those that moved in, which are stored later.
 */
export async function purgeFacts(ctx: Context, now = Date.now()): Promise<void> {
  const isOld = sql`began_at < ${now - FACT_RETENTION_MS - ROW_SPAN_MS}`;
  const owner = sql`(select ${passes.accountId} from ${passes} where ${passes.key} = ${passFacts.passKey})`;
  const [columns, order, condition] = [sql`key, began_at`, sql`key`, livesHere(owner)];
  const first = oldestRows(passFacts, { columns, order, isOld, condition });
  const moved = sql`(select key, began_at from ${passFacts} indexed by pass_facts_moved
    where has_moved is not null and ${isOld} and ${condition} limit ${PAGE_ROWS})`;
  const remove = (rows: SQL) =>
    ctx.db.delete(passFacts).where(inArray(passFacts.key, sql`(select key from ${rows} where ${isOld})`));
  await runInPages(async () => {
    const pages = await ctx.db.batch([remove(first), remove(moved)]);
    return pages.reduce((sum, { meta }) => sum + meta.changes, 0);
  });
}
