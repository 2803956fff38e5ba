import { and, eq, isNull, sql } from 'drizzle-orm';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { apiKeys } from './table.ts';

const DELETED = sql`json_array(json_object('field', 'deleted', 'new', changes()))`;

/** Deletes keys that were never used and returns how many. A key whose first use is recorded meanwhile stays. */
export async function deleteUnusedApiKeys(ctx: AccountContext): Promise<number> {
  const [deleted] = await ctx.db.batch([
    ctx.db
      .delete(apiKeys)
      .where(and(eq(apiKeys.accountId, ctx.account.id), isNull(apiKeys.lastUsedAt)))
      .returning({ id: apiKeys.id }),
    recordAction(ctx, { action: 'api_key.delete_unused', target: { type: 'api_key' }, changes: DELETED }),
  ]);
  return deleted.length;
}
