import { z } from 'zod';
import { sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import { randomAlphanumeric, randomToken, shardOf, uuidv7 } from '../../platform/ids.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { apiKeys } from './table.ts';

/** Length of the part that finds the row, and random bytes of the secret part, which are 43 characters of base64url (decisions §1). */
const LOOKUP_CHARS = 16;
const SECRET_BYTES = 32;
const KEY_NAME_CHARS_MAX = 100;

export const ApiKeyName = z.string().trim().min(1, 'must not be empty').max(KEY_NAME_CHARS_MAX);

export interface CreatedApiKey {
  /** The key's value. It is shown once: only a digest is stored. */
  apiKey: string;
  apiKeyId: string;
}

/** A new key and the statement that stores it, to be committed with what belongs to it. */
export async function newApiKey(db: Db, accountId: string, name: string) {
  const now = Date.now();
  const apiKeyId = uuidv7(shardOf(accountId), now);
  const lookup = randomAlphanumeric(LOOKUP_CHARS);
  const secret = randomToken(SECRET_BYTES);
  const insert = db.insert(apiKeys).values({
    id: apiKeyId,
    accountId,
    name,
    lookup,
    secretDigest: await sha256(secret),
    createdAt: now,
  });
  return { apiKey: `pk_${lookup}_${secret}`, apiKeyId, insert };
}

/** Creates an active API key of the account. Throws `invalid` for an empty or overlong name. */
export async function createApiKey(ctx: AccountContext, input: { name: string }): Promise<CreatedApiKey> {
  const { name } = checked(z.object({ name: ApiKeyName }), input);
  const { apiKey, apiKeyId, insert } = await newApiKey(ctx.db, ctx.account.id, name);
  await insert;
  return { apiKey, apiKeyId };
}
