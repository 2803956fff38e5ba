import { type Context, inDirectory } from '../../domain/context.ts';
import { randomToken } from '../../platform/ids.ts';
import { type InboxFile, type InboxKind, inboxItems } from './table.ts';

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
