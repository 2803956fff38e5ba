import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { PAGE_ROWS } from '../purge.ts';
import { countOut, isOpenIn, openIndexOf } from './payload-counts.ts';
import { webhookPayloads } from './table.ts';

/**
 * Acknowledges all payloads of the account, or of one subscription, up to `upTo` in sequence. Returns how many: of
 * simultaneous calls each payload counts for one. A call that breaks off has acknowledged the oldest, and a repeat goes
 * on. Throws not found for an unknown payload.
 */
export async function acknowledgePayloads(ctx: AccountContext, upTo: string, subscriptionId?: string): Promise<number> {
  const scope = { accountId: ctx.account.id, subscriptionId };
  const named = and(eq(webhookPayloads.id, upTo), eq(webhookPayloads.accountId, ctx.account.id));
  const last = sql`(select sequence from ${webhookPayloads} where ${named})`;
  const page = sql`(select sequence from ${webhookPayloads} indexed by ${openIndexOf(scope)}
    where ${isOpenIn(scope)} and sequence <= ${last} order by sequence limit ${PAGE_ROWS})`;
  let acknowledged = 0;
  const target = { type: 'webhook_payload', id: upTo };
  const entry = recordAction(ctx, { action: 'webhook_payload.acknowledge', target });
  for (;;) {
    const { exists, changes } = await acknowledgePage(ctx, page, last, acknowledged === 0 ? [entry] : []);
    if (!exists) throw notFound();
    acknowledged += changes;
    if (changes < PAGE_ROWS) return acknowledged;
  }
}

async function acknowledgePage(ctx: AccountContext, page: SQL, last: SQL, alongside: BatchItem<'sqlite'>[]) {
  const [[named], , update] = await ctx.db.batch([
    ctx.db.select({ sequence: sql<number | null>`${last}`.as('sequence') }).from(sql`(select 1)`),
    countOut(ctx, page),
    ctx.db.update(webhookPayloads).set({ acknowledgedAt: Date.now() }).where(sql`sequence in ${page}`),
    ...alongside,
  ]);
  return { exists: named?.sequence != null, changes: update.meta.changes };
}
