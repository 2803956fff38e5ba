import { and, eq, sql } from 'drizzle-orm';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { apiKeys } from './table.ts';

/** Deletes a key of the account for good. Throws `not_found`. */
export async function deleteApiKey(ctx: AccountContext, apiKeyId: string): Promise<void> {
  const isIt = and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id));
  const target = { type: 'api_key', id: apiKeyId, name: sql`${apiKeys.name}` };
  await enterOnce(ctx, `delete key ${apiKeyId}`, async (id) => {
    const [, deleted] = await ctx.db.batch([
      recordAction(ctx, { id, action: 'api_key.delete', target, from: apiKeys }, isIt),
      ctx.db.delete(apiKeys).where(isIt).returning({ id: apiKeys.id }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}
