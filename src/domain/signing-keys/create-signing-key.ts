import { generateKeyPairSync } from 'node:crypto';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { encrypt } from '../../platform/sealed-text.ts';
import type { AccountContext } from '../context.ts';
import { type SigningKey, signingKeys } from './table.ts';

/** A new active key of the account, for `insertSigningKey`. */
export async function newSigningKey(ctx: AccountContext): Promise<SigningKey> {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const now = Date.now();
  const id = uuidv7(shardOf(ctx.account.id), now);
  return {
    id,
    accountId: ctx.account.id,
    publicKeyPem: pair.publicKey,
    privateKeySealed: await encrypt(ctx.env, id, pair.privateKey),
    active: true,
    createdAt: now,
  };
}

/** The statement that stores a new key unless the account has an active one, which a unique index decides. */
export function insertSigningKey(ctx: AccountContext, key: SigningKey) {
  return ctx.db.insert(signingKeys).values(key).onConflictDoNothing();
}
