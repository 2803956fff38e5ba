import { and, desc, eq, lt } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type OutboxKind, type OutboxRow, outboxItems } from './table.ts';

export interface OutboxFilter {
  kind?: OutboxKind;
  /** Recipient, as it was sent to. */
  to?: string;
  /** Only items older than the one with this key. */
  before?: number;
  /** Items at most. */
  limit: number;
}

export interface OutboxPage {
  /** Newest first. */
  rows: OutboxRow[];
  /** `before` of the next page; undefined on the last one. */
  next?: number;
}

/** A page of what has left. One round trip. */
export async function listOutbox(ctx: Context, { kind, to, before, limit }: OutboxFilter): Promise<OutboxPage> {
  const rows = await ctx.db
    .select()
    .from(outboxItems)
    .where(
      and(
        kind && eq(outboxItems.kind, kind),
        to === undefined ? undefined : eq(outboxItems.recipient, to),
        before === undefined ? undefined : lt(outboxItems.key, before),
      ),
    )
    .orderBy(desc(outboxItems.key))
    .limit(limit + 1);
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? shown.at(-1)!.key : undefined };
}

/** One item; throws not found. */
export async function getOutboxItem(ctx: Context, key: number): Promise<OutboxRow> {
  const [row] = await ctx.db.select().from(outboxItems).where(eq(outboxItems.key, key));
  if (!row) throw notFound();
  return row;
}
