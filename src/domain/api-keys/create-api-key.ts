import { createHmac } from 'node:crypto';
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { constantTimeEqual, sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import { randomToken, shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { deriveKeys } from '../../platform/sealed-text.ts';
import { alphanumericIn } from '../../platform/shard-tokens.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { AccountContext, Actor } from '../context.ts';
import { DomainError, invalid } from '../errors.ts';
import { newId, writeOnce } from '../write-once.ts';
import {
  ApiKeyName,
  endOf,
  findKeyTemplates,
  KeyAddresses,
  KeyExpiry,
  KeyScopes,
  KeyTemplates,
  refuseExpired,
} from './key-fields.ts';
import { ALL_RIGHTS, type KeyRights, refuseBeyond } from './rights.ts';
import { EVERY_SCOPE } from './scopes.ts';
import { type ApiKey, apiKeys } from './table.ts';

export interface CreatedApiKey {
  /** The key's value. It is shown once: only a digest is stored. */
  apiKey: string;
  apiKeyId: string;
}

interface NewKeyOptions {
  id?: string;
  value?: KeyValue;
  rights?: KeyRights;
  actor?: Actor;
  condition?: SQL;
}

/**
 * Returns a new key and the statement that inserts it if `condition` holds. Commit it with the rows that go with it.
 */
export async function newApiKey(
  db: Db,
  accountId: string,
  name: string,
  { id, value, rights = ALL_RIGHTS, actor, condition = sql`true` }: NewKeyOptions = {},
) {
  const now = Date.now();
  const apiKeyId = id ?? uuidv7(shardOf(accountId), now);
  const { apiKey, ...kept } = value ?? (await randomValue(shardOf(accountId)));
  const row: ApiKey = {
    id: apiKeyId,
    accountId,
    name,
    ...kept,
    active: true,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: rights.expiresAt,
    scopes: rights.scopes,
    createdBy: actor?.name ?? null,
    createdByType: actor?.type ?? null,
    createdById: actor?.id ?? null,
    templateIds: rights.templateIds && [...rights.templateIds],
    allowedIps: rights.allowedIps && [...rights.allowedIps],
    previousDigest: null,
    previousUntil: null,
  };
  const insert = db
    .insert(apiKeys)
    .select(sql`select ${rowValues(apiKeys, row)} where ${condition}`)
    .returning({ id: apiKeys.id });
  return { apiKey, apiKeyId, insert };
}

/**
 * Gives an unused key another value and returns it, because the reply that showed the first one was lost. Throws
 * `conflict` if the key was used.
 */
export async function replaceUnusedKey(db: Db, accountId: string, apiKeyId: string): Promise<string> {
  const { apiKey, ...kept } = await randomValue(shardOf(accountId));
  const isUnused = and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, accountId), isNull(apiKeys.lastUsedAt));
  const replaced = await db.update(apiKeys).set(kept).where(isUnused).returning({ id: apiKeys.id });
  if (replaced.length === 0)
    throw new DomainError('conflict', 'The API key is already in use, and its value is shown only once');
  return apiKey;
}

/** A key to create. */
export const NewApiKey = z.object({
  name: ApiKeyName,
  scopes: KeyScopes.default([EVERY_SCOPE]),
  templateIds: KeyTemplates.default(null),
  allowedIps: KeyAddresses.default(null),
  expiresAt: KeyExpiry.default(null),
});

/** The same, with the expiry as UTC milliseconds or as a last day. */
const NewKeyByDay = NewApiKey.omit({ expiresAt: true }).extend({
  expiresAt: z.number().nullable().default(null),
  /** `Y-m-d`: the last day on which the key is valid, in the account's time zone. */
  lastDay: z.string().nullish(),
});

const PURPOSE = 'api-key';

/** Limit of an account: pages of the console show all keys. */
const API_KEYS_MAX = 1_000;

/**
 * Creates an active API key for the account; `own` are the rights of its creator. Throws `invalid` for an invalid
 * field, an expiry in the past or a full account, and `forbidden` for rights beyond those of its creator. A repeat
 * returns the same value.
 */
export async function createApiKey(
  ctx: AccountContext,
  input: z.input<typeof NewKeyByDay>,
  own: KeyRights = ALL_RIGHTS,
): Promise<CreatedApiKey> {
  const { name, lastDay, ...wanted } = checked(NewKeyByDay, input);
  const expiresAt = lastDay ? endOf(lastDay, ctx.account.timezone) : wanted.expiresAt;
  refuseExpired(expiresAt);
  const rights = { ...wanted, templateIds: await findKeyTemplates(ctx, wanted.templateIds, own), expiresAt };
  refuseBeyond(own, rights);
  const id = newId(ctx, PURPOSE);
  const find = async () => {
    const isTarget = and(eq(apiKeys.id, id), eq(apiKeys.accountId, ctx.account.id));
    const { lookup, secretDigest } = apiKeys;
    const [found] = await ctx.db.select({ lookup, secretDigest }).from(apiKeys).where(isTarget);
    if (!found) return undefined;
    const apiKey = await valueAgain(ctx, found, PURPOSE);
    if (!apiKey) throw new DomainError('conflict', 'The API key was created, but it has a different value by now');
    return { apiKey, apiKeyId: id };
  };
  return writeOnce(ctx, find, async () => {
    const value = await newValue(ctx, newLookup(shardOf(ctx.account.id)), PURPOSE);
    const condition = sql`(select count(*) < ${API_KEYS_MAX} from ${apiKeys} where ${eq(apiKeys.accountId, ctx.account.id)})`;
    const options = { id, value, rights, actor: ctx.actor, condition };
    const { apiKey, apiKeyId, insert } = await newApiKey(ctx.db, ctx.account.id, name, options);
    const action = {
      action: 'api_key.create',
      target: { type: 'api_key', id, name },
      changes: rightsShown(rights),
    } as const;
    const [made] = await ctx.db.batch([insert, recordAction(ctx, action)]);
    if (made.length === 0) throw invalid(`An account can have at most ${API_KEYS_MAX} API keys; delete some first`);
    return { apiKey, apiKeyId };
  });
}

/** Lists the scopes, and the limits that are set. */
function rightsShown({ scopes, ...limits }: KeyRights) {
  const set = Object.entries(limits).filter(([, value]) => value !== null);
  return [{ field: 'scopes', new: scopes }, ...set.map(([field, value]) => ({ field, new: value }))];
}

/** Characters of the part that finds shard and row, and random bytes of the secret: 43 characters of base64url. */
const LOOKUP_CHARS = 16;
const SECRET_BYTES = 32;

/** A key's value, and the parts of it that are stored. */
interface KeyValue {
  apiKey: string;
  lookup: string;
  secretDigest: string;
}

/** Returns a random value for a key in this shard. */
function randomValue(shard: number): Promise<KeyValue> {
  return keyValue(alphanumericIn(shard, LOOKUP_CHARS), randomToken(SECRET_BYTES));
}

/** Returns a value for a key, the same in each repeat of a request. `purpose` must be unique in the request. */
export function newValue(ctx: AccountContext, lookup: string, purpose: string): Promise<KeyValue> {
  return keyValue(lookup, secretsFor(ctx, purpose)[0]!);
}

/** Returns a random first part of a value. */
function newLookup(shard: number): string {
  return alphanumericIn(shard, LOOKUP_CHARS);
}

/** Returns the value that an earlier run of the request stored, or undefined if the key has another value by now. */
export async function valueAgain(
  ctx: AccountContext,
  stored: Pick<KeyValue, 'lookup' | 'secretDigest'>,
  purpose: string,
): Promise<string | undefined> {
  for (const secret of secretsFor(ctx, purpose)) {
    const { apiKey, secretDigest } = await keyValue(stored.lookup, secret);
    if (constantTimeEqual(secretDigest, stored.secretDigest)) return apiKey;
  }
  return undefined;
}

/**
 * Returns the secrets that a request may have made. Only a digest is stored, so a repeat must make the secret of a lost
 * reply again. With an `Idempotency-Key`, it derives from the encryption keys; the first one makes new secrets.
 */
function secretsFor({ env, repeatable, identifiers }: AccountContext, purpose: string): string[] {
  const name = `secret ${purpose}`;
  const kept = identifiers?.get(name);
  if (kept !== undefined) return [kept];
  if (repeatable) {
    // Includes the time: the same request with the same key is a new one a day later.
    const facts = JSON.stringify([repeatable.seed, repeatable.since, purpose]);
    return deriveKeys(env, 'api-key-value').map((key) => createHmac('sha256', key).update(facts).digest('base64url'));
  }
  const secret = randomToken(SECRET_BYTES);
  identifiers?.set(name, secret);
  return [secret];
}

async function keyValue(lookup: string, secret: string): Promise<KeyValue> {
  return { apiKey: `pk_${lookup}_${secret}`, lookup, secretDigest: await sha256(secret) };
}
