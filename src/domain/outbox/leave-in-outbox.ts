import type { Env } from '../../platform/env.ts';
import type { Context } from '../context.ts';
import { type OutboxKind, outboxItems } from './table.ts';

export interface OutboxItem {
  kind: OutboxKind;
  /** Address, number, push token or object identifier. */
  to: string;
  subject?: string;
  text?: string;
  /** What else belongs to it, by kind; becomes members of the item beside the others. */
  details?: Record<string, unknown>;
}

/** Whether the service runs locally, where nothing leaves it and all lands in the outbox (decisions §7). A deployment never has ADMIN_TOKEN. */
export function hasOutbox(env: Env): boolean {
  return Boolean(env.ADMIN_TOKEN);
}

/** Notes what leaves, or would leave, a local service. Does nothing in a deployment. */
export async function leaveInOutbox(ctx: Context, items: OutboxItem[]): Promise<void> {
  if (items.length === 0 || !hasOutbox(ctx.env)) return;
  const createdAt = Date.now();
  const [first, ...rest] = items.map(({ kind, to, subject = '', text = '', details = {} }) =>
    ctx.db.insert(outboxItems).values({ kind, recipient: to, subject, text, details, createdAt }),
  );
  await ctx.db.batch([first!, ...rest]);
}
