import { asc, eq } from 'drizzle-orm';
import { shardOf } from '../../platform/ids.ts';
import type { AccountContext, Context } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { notFound } from '../errors.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** Everything but the digest. Times are UTC milliseconds; `lastUsedAt` null: never. */
export type ApiKeyFacts = Pick<
  ApiKey,
  'id' | 'name' | 'active' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'scopes' | 'createdBy'
>;

/** The account's keys, oldest first. */
export function listApiKeys(ctx: AccountContext): Promise<ApiKeyFacts[]> {
  return ctx.db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      active: apiKeys.active,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      expiresAt: apiKeys.expiresAt,
      scopes: apiKeys.scopes,
      createdBy: apiKeys.createdBy,
    })
    .from(apiKeys)
    .where(eq(apiKeys.accountId, ctx.account.id))
    .orderBy(asc(apiKeys.id));
}

/** The account that owns a key, for the operator, who names keys without their account. Throws `not_found`. */
export async function getAccountIdOfApiKey(ctx: Context, apiKeyId: string): Promise<string> {
  const found = await findInShard(ctx, shardOf(apiKeyId), async ({ db }) => {
    const [row] = await db.select({ accountId: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, apiKeyId));
    return row;
  });
  if (!found) throw notFound();
  return found.accountId;
}
