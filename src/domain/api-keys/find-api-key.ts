import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { type KeyRights, refuseBeyond } from './rights.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** Returns the SQL condition for one key of the account. */
export function isOwnKey(ctx: AccountContext, apiKeyId: string) {
  return and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id));
}

/** Returns a key of the account. Throws `not_found`. */
export async function getApiKey(ctx: AccountContext, apiKeyId: string): Promise<ApiKey> {
  const [found] = await ctx.db.select().from(apiKeys).where(isOwnKey(ctx, apiKeyId));
  if (!found) throw notFound();
  return found;
}

/** Returns a key of the account that has no rights beyond `own`. Throws `not_found` and `forbidden`. */
export async function getKeyWithin(ctx: AccountContext, apiKeyId: string, own: KeyRights): Promise<ApiKey> {
  const found = await getApiKey(ctx, apiKeyId);
  refuseBeyond(own, found);
  return found;
}

/** Returns SQL that is true while a key has the rights that were read, so that nobody gains rights added meanwhile. */
export function hasRightsOf({ scopes, templateIds, allowedIps, expiresAt }: KeyRights): SQL {
  const text = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return sql`(${apiKeys.scopes} = ${text(scopes)} and ${apiKeys.templateIds} is ${text(templateIds)}
    and ${apiKeys.allowedIps} is ${text(allowedIps)} and ${apiKeys.expiresAt} is ${expiresAt})`;
}
