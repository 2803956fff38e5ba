import { and, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { apiKeys } from './table.ts';

/** Deletes a key of the account for good. Throws `not_found`. */
export async function deleteApiKey(ctx: AccountContext, apiKeyId: string): Promise<void> {
  const deleted = await ctx.db
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id)))
    .returning({ id: apiKeys.id });
  if (deleted.length === 0) throw notFound();
}
