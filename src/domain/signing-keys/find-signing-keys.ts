import { generateKeyPairSync } from 'node:crypto';
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import type { AccountContext, Context } from '../context.ts';
import { type SigningKey, signingKeys } from './table.ts';

/** Returns SQL that finds the account's active key by the index that allows only one. */
export function isActiveKey(ctx: AccountContext) {
  return and(eq(signingKeys.accountId, ctx.account.id), sql`${signingKeys.active} = 1`);
}

/** Builds the statement that reads the account's active key. */
export function activeKeyQuery(ctx: AccountContext) {
  return ctx.db.select().from(signingKeys).where(isActiveKey(ctx));
}

/**
 * Returns the account's active key, and creates it at the first need: of concurrent requests, all get the one that was
 * stored. One round trip, two to create it.
 */
export async function getSigningKey(ctx: AccountContext): Promise<SigningKey> {
  const [key] = await activeKeyQuery(ctx);
  if (key) return key;
  const [, [created]] = await ctx.db.batch([insertSigningKey(ctx, await newSigningKey(ctx)), activeKeyQuery(ctx)]);
  if (!created) throw new Error(`account ${ctx.account.id} has no signing key`);
  return created;
}

/** Lists the account's keys, the active one first, then the newest; creates the first key like `getSigningKey`. */
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

/** Builds the statement that reads the public keys, in PEM, of the account that `accountId` (SQL) gives. */
export function publicKeysQuery(db: AccountContext['db'], accountId: SQL) {
  return db.select({ pem: signingKeys.publicKeyPem }).from(signingKeys).where(eq(signingKeys.accountId, accountId));
}

/** Lists the active keys of accounts; an account that never needed one has none. One round trip. */
export function listActiveKeys(ctx: Context, accountIds: string[]): Promise<SigningKey[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(accountIds)}))`;
  return ctx.db
    .select()
    .from(signingKeys)
    .where(and(inArray(signingKeys.accountId, ids), sql`${signingKeys.active} = 1`));
}

/** Creates a new active key of the account, for `insertSigningKey`. */
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

/** Builds the statement that stores a new key unless the account has an active one, which a unique index decides. */
export function insertSigningKey(ctx: AccountContext, key: SigningKey) {
  return ctx.db.insert(signingKeys).values(key).onConflictDoNothing();
}
