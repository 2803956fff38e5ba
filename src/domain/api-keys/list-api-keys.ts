import { and, asc, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { shardOf } from '../../platform/ids.ts';
import type { AccountContext, Context, Owner } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { notFound } from '../errors.ts';
import { whereRestricted } from '../template-restriction.ts';
import { type KeyRights, refuseBeyond } from './rights.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** The columns that may be shown: no digests. */
const FACTS = {
  id: apiKeys.id,
  name: apiKeys.name,
  active: apiKeys.active,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  expiresAt: apiKeys.expiresAt,
  scopes: apiKeys.scopes,
  templateIds: apiKeys.templateIds,
  allowedIps: apiKeys.allowedIps,
  previousUntil: apiKeys.previousUntil,
  createdBy: apiKeys.createdBy,
  createdByType: apiKeys.createdByType,
  createdById: apiKeys.createdById,
};

/** What readers see of a key. Times are UTC milliseconds; a `lastUsedAt` of null means never. */
export type ApiKeyFacts = Pick<ApiKey, keyof typeof FACTS>;

/** Lists the account's keys, oldest first. */
export function listApiKeys(ctx: AccountContext): Promise<ApiKeyFacts[]> {
  return ctx.db.select(FACTS).from(apiKeys).where(eq(apiKeys.accountId, ctx.account.id)).orderBy(asc(apiKeys.id));
}

/**
 * Lists the account's keys, newest first; `before` is the last identifier of the page before. A key that is restricted
 * to templates sees only keys that are restricted to some of them. One round trip.
 */
export function listKeyPage(owner: Owner, page: { before?: string; limit: number }) {
  const isWithin = (templateIds: SQL) =>
    sql`${apiKeys.templateIds} is not null and not exists (select 1 from json_each(${apiKeys.templateIds})
      where value not in (select value from json_each(${templateIds})))`;
  return owner.db
    .select(FACTS)
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.accountId, owner.account.id),
        page.before === undefined ? undefined : lt(apiKeys.id, page.before),
        whereRestricted(owner, isWithin),
      ),
    )
    .orderBy(desc(apiKeys.id))
    .limit(page.limit);
}

/** Returns the account that owns a key: operators name keys without their account. Throws `not_found`. */
export async function getAccountIdOfApiKey(ctx: Context, apiKeyId: string): Promise<string> {
  const found = await findInShard(ctx, { shard: shardOf(apiKeyId) }, async ({ db }) => {
    const [row] = await db.select({ accountId: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, apiKeyId));
    return row;
  });
  if (!found) throw notFound();
  return found.accountId;
}

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
