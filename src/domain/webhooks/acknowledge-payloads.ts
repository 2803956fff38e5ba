import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { PAGE_ROWS } from '../purge.ts';
import { writeOnce } from '../write-once.ts';
import { countOut, isOpenIn, ofScope, openIndexOf, type PayloadScope } from './payload-counts.ts';
import { webhookPayloads } from './table.ts';

/**
 * Acknowledges all payloads of the account, or of one subscription, up to `upTo` in sequence, and returns their number.
 * Simultaneous calls count each payload once. An interrupted call has acknowledged the oldest ones; a repeat continues.
 * Throws not found for an unknown payload.
 */
export async function acknowledgePayloads(ctx: AccountContext, upTo: string, subscriptionId?: string): Promise<number> {
  const scope = { accountId: ctx.account.id, subscriptionId };
  const named = and(eq(webhookPayloads.id, upTo), eq(webhookPayloads.accountId, ctx.account.id));
  const last = sql`(select sequence from ${webhookPayloads} where ${named})`;
  const page = sql`(select sequence from ${webhookPayloads} indexed by ${openIndexOf(scope)}
    where ${isOpenIn(scope)} and sequence <= ${last} order by sequence limit ${PAGE_ROWS})`;
  let acknowledged = 0;
  // The random fraction of a millisecond distinguishes calls in the same millisecond.
  const at = Date.now() + Math.random();
  const target = { type: 'webhook_payload', id: upTo };
  const entry = recordAction(ctx, { action: 'webhook_payload.acknowledge', target });
  // A page whose response was lost is counted by its time.
  const find = async () => {
    const changes = (await countAt(ctx, scope, at)) - acknowledged;
    return changes > 0 ? { exists: true, changes } : undefined;
  };
  for (;;) {
    const alongside = acknowledged === 0 ? [entry] : [];
    const { exists, changes } = await writeOnce({}, find, () => acknowledgePage(ctx, { page, last, at, alongside }));
    if (!exists) throw notFound();
    acknowledged += changes;
    if (changes < PAGE_ROWS) return acknowledged;
  }
}

interface Page {
  page: SQL;
  last: SQL;
  at: number;
  alongside: BatchItem<'sqlite'>[];
}

async function acknowledgePage(ctx: AccountContext, { page, last, at, alongside }: Page) {
  const [[named], , update] = await ctx.db.batch([
    ctx.db.select({ sequence: sql<number | null>`${last}`.as('sequence') }).from(sql`(select 1)`),
    countOut(ctx, page),
    ctx.db.update(webhookPayloads).set({ acknowledgedAt: at }).where(sql`sequence in ${page}`),
    ...alongside,
  ]);
  return { exists: named?.sequence != null, changes: update.meta.changes };
}

/** Returns the number of payloads of a scope that were acknowledged at this time. */
async function countAt(ctx: AccountContext, scope: PayloadScope, at: number): Promise<number> {
  const isTarget = and(ofScope(scope), eq(webhookPayloads.acknowledgedAt, at));
  const [row] = await ctx.db.select({ count: count() }).from(webhookPayloads).where(isTarget);
  return row!.count;
}
