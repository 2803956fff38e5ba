import { inArray, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { livesHere } from '../no-copies.ts';
import { passes } from '../passes/table.ts';
import { oldestRows, runInPages } from '../purge.ts';
import { ROW_SPAN_MS } from './append-facts.ts';
import { passFacts } from './table.ts';

/** Days that facts are shown. A row is deleted once all of its facts are older, up to thirty days later. */
export const FACT_RETENTION_DAYS = 90;
export const FACT_RETENTION_MS = FACT_RETENTION_DAYS * 24 * 3_600_000;

/**
 * Cron task: deletes rows whose facts are too old, the oldest first. Rows begin in the order of their keys, and none
 * covers more than its span.
 */
export async function purgeFacts(ctx: Context, now = Date.now()): Promise<void> {
  const isOld = sql`began_at < ${now - FACT_RETENTION_MS - ROW_SPAN_MS}`;
  const owner = sql`(select ${passes.accountId} from ${passes} where ${passes.key} = ${passFacts.passKey})`;
  const [columns, order] = [sql`key, began_at`, sql`key`];
  const first = oldestRows(passFacts, { columns, order, isOld, condition: livesHere(owner) });
  const old = inArray(passFacts.key, sql`(select key from ${first} where ${isOld})`);
  await runInPages(async () => (await ctx.db.delete(passFacts).where(old)).meta.changes);
}
