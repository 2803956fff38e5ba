import { generateKeyPairSync } from 'node:crypto';
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import type { AccountContext, Context } from '../context.ts';
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

/** The statement that reads the public keys of an account that `accountId` names by SQL, in PEM. */
export function publicKeysQuery(db: AccountContext['db'], accountId: SQL) {
  return db.select({ pem: signingKeys.publicKeyPem }).from(signingKeys).where(eq(signingKeys.accountId, accountId));
}

/** The keys with which accounts sign now; an account that has never needed one has none. One round trip. */
export function listActiveKeys(ctx: Context, accountIds: string[]): Promise<SigningKey[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(accountIds)}))`;
  return ctx.db
    .select()
    .from(signingKeys)
    .where(and(inArray(signingKeys.accountId, ids), sql`${signingKeys.active} = 1`));
}

/** A new active key of the account, for `insertSigningKey`. */
export async function newSigningKey(ctx: AccountContext, id = uuidv7(shardOf(ctx.account.id))): Promise<SigningKey> {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    id,
    accountId: ctx.account.id,
    publicKeyPem: pair.publicKey,
    privateKeySealed: await encrypt(ctx.env, id, pair.privateKey),
    active: true,
    createdAt: Date.now(),
  };
}

/** The statement that stores a new key unless the account has an active one, which a unique index decides. */
export function insertSigningKey(ctx: AccountContext, key: SigningKey) {
  return ctx.db.insert(signingKeys).values(key).onConflictDoNothing();
}
