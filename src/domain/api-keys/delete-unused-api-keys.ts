import { and, eq, isNull } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { apiKeys } from './table.ts';

/**
 * Deletes every key of the account that was never used and returns how many. One conditional statement: a key whose
 * first use is noted meanwhile stays.
 */
export async function deleteUnusedApiKeys(ctx: AccountContext): Promise<number> {
  const deleted = await ctx.db
    .delete(apiKeys)
    .where(and(eq(apiKeys.accountId, ctx.account.id), isNull(apiKeys.lastUsedAt)))
    .returning({ id: apiKeys.id });
  return deleted.length;
}
