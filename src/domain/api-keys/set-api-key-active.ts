import { and, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { apiKeys } from './table.ts';

/** Activates or deactivates a key of the account; it counts from the next request on. Throws `not_found`. */
export async function setApiKeyActive(ctx: AccountContext, apiKeyId: string, active: boolean): Promise<void> {
  const changed = await ctx.db
    .update(apiKeys)
    .set({ active })
    .where(and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id)))
    .returning({ id: apiKeys.id });
  if (changed.length === 0) throw notFound();
}
