import type { Env } from '../../platform/env.ts';
import { randomToken } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { type OutboxFile, type OutboxKind, outboxItems } from './table.ts';

export interface OutboxItem {
  kind: OutboxKind;
  /** Address, number, push token or object identifier. */
  to: string;
  subject?: string;
  text?: string;
  /** What else belongs to it, by kind; becomes members of the item beside the others. */
  details?: Record<string, unknown>;
  /** What goes with it, say attachments. */
  files?: { filename: string; type: string; bytes: Uint8Array }[];
}

/**
 * Whether the service runs locally, where nothing leaves it and all lands in the outbox. A deployment never has
 * ADMIN_TOKEN.
 */
export function hasOutbox(env: Env): boolean {
  return Boolean(env.ADMIN_TOKEN);
}

/** Notes what leaves, or would leave, a local service. Does nothing in a deployment. */
export async function leaveInOutbox(ctx: Context, items: OutboxItem[]): Promise<void> {
  if (items.length === 0 || !hasOutbox(ctx.env)) return;
  const createdAt = Date.now();
  const rows = await Promise.all(
    items.map(async ({ kind, to, subject = '', text = '', details = {}, files = [] }) => ({
      ...{ kind, recipient: to, subject, text, details, createdAt },
      files: await Promise.all(files.map((file) => keep(ctx, file))),
    })),
  );
  const [first, ...rest] = rows.map((row) => ctx.db.insert(outboxItems).values(row));
  await ctx.db.batch([first!, ...rest]);
}

async function keep(
  ctx: Context,
  { filename, type, bytes }: NonNullable<OutboxItem['files']>[number],
): Promise<OutboxFile> {
  const key = `outbox/${randomToken()}`;
  await ctx.env.FILES.put(key, bytes, { httpMetadata: { contentType: type } });
  return { key, filename, type, bytes: bytes.length };
}
