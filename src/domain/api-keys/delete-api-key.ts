import { and, sql } from 'drizzle-orm';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { getKeyWithin, hasRightsOf, isOwnKey } from './list-api-keys.ts';
import { ALL_RIGHTS } from './rights.ts';
import { apiKeys } from './table.ts';

/**
 * Deletes a key of the account. Throws `not_found`, and `forbidden` for a key with rights beyond `own`: that check
 * takes an extra round trip.
 */
export async function deleteApiKey(ctx: AccountContext, apiKeyId: string, own = ALL_RIGHTS): Promise<void> {
  const target = { type: 'api_key', id: apiKeyId, name: sql`${apiKeys.name}` };
  await enterOnce(ctx, `delete key ${apiKeyId}`, async (id) => {
    const found = own === ALL_RIGHTS ? undefined : await getKeyWithin(ctx, apiKeyId, own);
    const isTarget = and(isOwnKey(ctx, apiKeyId), found && hasRightsOf(found));
    const [, deleted] = await ctx.db.batch([
      recordAction(ctx, { id, action: 'api_key.delete', target, from: apiKeys }, isTarget),
      ctx.db.delete(apiKeys).where(isTarget).returning({ id: apiKeys.id }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}
