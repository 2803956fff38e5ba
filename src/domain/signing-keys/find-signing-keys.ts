import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { insertSigningKey, newSigningKey } from './create-signing-key.ts';
import { type SigningKey, signingKeys } from './table.ts';

/** SQL that finds the account's active key by the index that allows only one. */
export function isActiveKey(ctx: AccountContext) {
  return and(eq(signingKeys.accountId, ctx.account.id), sql`${signingKeys.active} = 1`);
}

/** The statement that reads the key with which the account signs now. */
export function activeKeyQuery(ctx: AccountContext) {
  return ctx.db.select().from(signingKeys).where(isActiveKey(ctx));
}

/**
 * The key with which the account signs now. The first need makes it: of requests that race for it, all get the one that
 * was stored. One round trip, two then.
 */
export async function getSigningKey(ctx: AccountContext): Promise<SigningKey> {
  const [key] = await activeKeyQuery(ctx);
  if (key) return key;
  const [, [created]] = await ctx.db.batch([insertSigningKey(ctx, await newSigningKey(ctx)), activeKeyQuery(ctx)]);
  if (!created) throw new Error(`account ${ctx.account.id} has no signing key`);
  return created;
}

/** Every key of the account, the active one first, then the newest; makes the first key like `getSigningKey`. */
export async function listSigningKeys(ctx: AccountContext): Promise<SigningKey[]> {
  const query = ctx.db
    .select()
    .from(signingKeys)
    .where(eq(signingKeys.accountId, ctx.account.id))
    .orderBy(desc(signingKeys.active), desc(signingKeys.id));
  const keys = await query;
  if (keys[0]?.active) return keys;
  const [, created] = await ctx.db.batch([insertSigningKey(ctx, await newSigningKey(ctx)), query]);
  return created;
}

/** The keys with which accounts sign now; an account that has never needed one has none. One round trip. */
export function listActiveKeys(ctx: Context, accountIds: string[]): Promise<SigningKey[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(accountIds)}))`;
  return ctx.db
    .select()
    .from(signingKeys)
    .where(and(inArray(signingKeys.accountId, ids), sql`${signingKeys.active} = 1`));
}
