import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { type KeyRights, refuseBeyond } from './rights.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** Condition for one key of the account. */
export function isOwnKey(ctx: AccountContext, apiKeyId: string) {
  return and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id));
}

/** A key of the account. Throws `not_found`. */
export async function getApiKey(ctx: AccountContext, apiKeyId: string): Promise<ApiKey> {
  const [found] = await ctx.db.select().from(apiKeys).where(isOwnKey(ctx, apiKeyId));
  if (!found) throw notFound();
  return found;
}

/** A key of the account that has no rights beyond `own`. Throws `not_found` and `forbidden`. */
export async function getKeyWithin(ctx: AccountContext, apiKeyId: string, own: KeyRights): Promise<ApiKey> {
  const found = await getApiKey(ctx, apiKeyId);
  refuseBeyond(own, found);
  return found;
}

/** SQL that holds while a key has the rights that were read: nobody gets at rights that were added meanwhile. */
export function hasRightsOf({ scopes, templateIds, allowedIps, expiresAt }: KeyRights): SQL {
  const text = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return sql`(${apiKeys.scopes} = ${text(scopes)} and ${apiKeys.templateIds} is ${text(templateIds)}
    and ${apiKeys.allowedIps} is ${text(allowedIps)} and ${apiKeys.expiresAt} is ${expiresAt})`;
}
