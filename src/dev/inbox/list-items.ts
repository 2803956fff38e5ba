import { and, desc, eq, lt } from 'drizzle-orm';
import type { Context } from '../../domain/context.ts';
import { notFound } from '../../domain/errors.ts';
import { type InboxKind, type InboxRow, inboxItems } from './table.ts';

export interface InboxFilter {
  kind?: InboxKind;
  /** Recipient, exactly as sent. */
  to?: string;
  /** Only items older than the one with this key. */
  before?: number;
  /** Maximum number of items. */
  limit: number;
}

export interface InboxItems {
  /** Newest first. */
  rows: InboxRow[];
  /** `before` of the next page; undefined on the last one. */
  next?: number;
}

/** Returns a page of items. One round trip. */
export async function listItems(ctx: Context, { kind, to, before, limit }: InboxFilter): Promise<InboxItems> {
  const rows = await ctx.db
    .select()
    .from(inboxItems)
    .where(
      and(
        kind && eq(inboxItems.kind, kind),
        to === undefined ? undefined : eq(inboxItems.recipient, to),
        before === undefined ? undefined : lt(inboxItems.key, before),
      ),
    )
    .orderBy(desc(inboxItems.key))
    .limit(limit + 1);
  const shown = rows.slice(0, limit);
  return { rows: shown, next: rows.length > limit ? shown.at(-1)!.key : undefined };
}

/** Returns an item. Throws `not_found`. */
export async function getItem(ctx: Context, key: number): Promise<InboxRow> {
  const [row] = await ctx.db.select().from(inboxItems).where(eq(inboxItems.key, key));
  if (!row) throw notFound();
  return row;
}
