import { and, desc, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import { type Context, inDirectory } from '../../domain/context.ts';
import { notFound } from '../../domain/errors.ts';
import { ALL, pageOf, runInPages } from '../../domain/purge.ts';
import { randomToken } from '../../platform/ids.ts';
import { type InboxFile, type InboxKind, type InboxRow, inboxItems } from './table.ts';

/** A message or push that leaves the service, or would in a deployment. */
export interface NewItem {
  kind: InboxKind;
  /** Address, number, push token or object identifier. */
  to: string;
  subject?: string;
  text?: string;
  /** Further facts by kind. They become members of the item. */
  details?: Record<string, unknown>;
  /** Files that are sent with it, for example attachments. */
  files?: { filename: string; type: string; bytes: Uint8Array }[];
}

/** Stores items in the dev inbox. One round trip; none without items. */
export async function keepItems(ctx: Context, items: NewItem[]): Promise<void> {
  if (items.length === 0) return;
  const createdAt = Date.now();
  const rows = await Promise.all(
    items.map(async ({ kind, to, subject = '', text = '', details = {}, files = [] }) => ({
      ...{ kind, recipient: to, subject, text, details, createdAt },
      files: await Promise.all(files.map((file) => keepFile(ctx, file))),
    })),
  );
  // All accounts share one list.
  const { db } = inDirectory(ctx);
  const [first, ...rest] = rows.map((row) => db.insert(inboxItems).values(row));
  await db.batch([first!, ...rest]);
}

async function keepFile(
  ctx: Context,
  { filename, type, bytes }: NonNullable<NewItem['files']>[number],
): Promise<InboxFile> {
  const key = `outbox/${randomToken()}`;
  await ctx.env.FILES.put(key, bytes, { httpMetadata: { contentType: type } });
  return { key, filename, type, bytes: bytes.length };
}

interface InboxFilter {
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

/** A local service keeps items for a week, up to this number. */
const RETENTION_DAYS = 7;
const ITEMS_MAX = 10_000;
/** Keys that R2 deletes in one call (R2, "delete"). */
const FILES_MAX = 1_000;

/** Deletes one item with its files, or all of them. */
export function deleteItems(ctx: Context, key?: number): Promise<void> {
  return remove(ctx, key === undefined ? undefined : eq(inboxItems.key, key));
}

/** Deletes old items. */
export function purgeItems(ctx: Context): Promise<void> {
  const before = Date.now() - RETENTION_DAYS * 24 * 60 * 60_000;
  const newest = sql`(select max(key) from ${inboxItems})`;
  return remove(ctx, or(lt(inboxItems.createdAt, before), sql`${inboxItems.key} <= ${newest} - ${ITEMS_MAX}`));
}

function remove(ctx: Context, condition: SQL | undefined): Promise<void> {
  return runInPages(() => removePage(ctx, condition), ALL);
}

/** Deletes a page of items. Returns their number. */
async function removePage(ctx: Context, condition: SQL | undefined): Promise<number> {
  const page = pageOf(inboxItems, condition);
  const removed = await ctx.db.delete(inboxItems).where(page).returning({ files: inboxItems.files });
  const keys = removed.flatMap(({ files }) => files.map(({ key }) => key));
  for (let at = 0; at < keys.length; at += FILES_MAX) await ctx.env.FILES.delete(keys.slice(at, at + FILES_MAX));
  return removed.length;
}
