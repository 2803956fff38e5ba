import { and, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { accounts } from './table.ts';

/** The statement that notes that the account subscribes to events, for the batch that does so. */
export function noteWebhooks(ctx: AccountContext) {
  return ctx.db
    .update(accounts)
    .set({ hasWebhooks: true })
    .where(and(eq(accounts.id, ctx.account.id), eq(accounts.hasWebhooks, false)));
}
