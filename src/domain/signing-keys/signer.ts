import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { fromBase64 } from '../../platform/crypto.ts';
import { hex, shardOf, uuidv7 } from '../../platform/ids.ts';
import { Lru } from '../../platform/lru.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import { openPrivateKey } from '../certificates/private-keys.ts';
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

/** Signs texts of one account. */
export interface TextSigner {
  keyId: string;
  /**
   * Returns lower-case hexadecimal of the DER-encoded ECDSA signature (P-256, SHA-256) over the UTF-8 bytes of `text`,
   * as in webhooks. The nonce derives from key and text (RFC 6979), so that the same pass always shows the same bytes.
   */
  sign(text: string): string;
}

const SIGNERS_KEPT_MAX = 200;
const signers = new Lru<TextSigner>(SIGNERS_KEPT_MAX);

/** Cached characters of texts and signatures: signing costs about a millisecond, and passes are rendered repeatedly. */
const SIGNATURES_KEPT_CHARS_MAX = 2_000_000;
const signatures = new Lru<string>(SIGNATURES_KEPT_CHARS_MAX);

/** Returns the signer of the account's active key; see `getSigningKey`. */
export async function getTextSigner(ctx: AccountContext): Promise<TextSigner> {
  const key = await getSigningKey(ctx);
  const held = signers.get(key.id);
  if (held) return held;
  const signer = await textSigner(key.id, await openPrivateKey(ctx.env, key));
  signers.set(key.id, signer);
  return signer;
}

/** Creates a signer. The curve is loaded here, not with the module, because few requests sign. */
async function textSigner(keyId: SigningKey['id'], privateKeyPem: string): Promise<TextSigner> {
  const { p256 } = await import('../../platform/p256.ts');
  const { d } = createPrivateKey(privateKeyPem).export({ format: 'jwk' });
  const secret = fromBase64(d!);
  const encoder = new TextEncoder();
  return {
    keyId,
    sign(text) {
      const name = `${keyId}:${text}`;
      const known = signatures.get(name);
      if (known) return known;
      const signature = hex(p256.sign(encoder.encode(text), secret, { format: 'der', prehash: true, lowS: false }));
      signatures.set(name, signature, name.length + signature.length);
      return signature;
    },
  };
}

/** Start of a request for a signature in a text. */
const SIGN_CALL = '{sign(';

/** Stored definitions never change, so each is searched once. */
const searched = new WeakMap<object, boolean>();

/** A request reads the key once, however many passes and texts it signs. */
const loading = new WeakMap<AccountContext, Promise<TextSigner>>();

/** Returns the account's signer if a text, or a text of a stored definition, needs one; otherwise no round trip. */
export async function signerFor(ctx: AccountContext, source: string | object): Promise<TextSigner | undefined> {
  if (!hasSignCall(source)) return undefined;
  const signer = loading.get(ctx) ?? getTextSigner(ctx);
  loading.set(ctx, signer);
  return signer;
}

function hasSignCall(source: string | object): boolean {
  if (typeof source === 'string') return source.includes(SIGN_CALL);
  const known = searched.get(source);
  if (known !== undefined) return known;
  const found = JSON.stringify(source).includes(SIGN_CALL);
  searched.set(source, found);
  return found;
}
