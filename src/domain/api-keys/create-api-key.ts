import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { sha256 } from '../../platform/crypto.ts';
import { parseDate } from '../../platform/dates.ts';
import type { Db } from '../../platform/db.ts';
import { randomToken, shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import { alphanumericIn } from '../../platform/shard-tokens.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, fieldIssue, invalidField } from '../errors.ts';
import { DATE_HINT } from '../fields.ts';
import { writeOnce } from '../write-once.ts';
import { EVERY_SCOPE, Scopes, scopesBeyond } from './scopes.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** Length of the part that finds shard and row; random bytes of the secret part, 43 characters of base64url. */
const LOOKUP_CHARS = 16;
const SECRET_BYTES = 32;
const KEY_NAME_CHARS_MAX = 100;

export const ApiKeyName = z.string().trim().min(1, 'must not be empty').max(KEY_NAME_CHARS_MAX);

export interface CreatedApiKey {
  /** The key's value. It is shown once: only a digest is stored. */
  apiKey: string;
  apiKeyId: string;
}

interface NewKeyOptions {
  /** Absent: a new one. */
  id?: string;
  /** UTC milliseconds. */
  expiresAt?: number | null;
  scopes?: Scopes;
  createdBy?: string | null;
  condition?: SQL;
}

/** A new key and the statement that stores it where `condition` holds, to be committed with what belongs to it. */
export async function newApiKey(
  db: Db,
  accountId: string,
  name: string,
  { id, expiresAt = null, scopes = [EVERY_SCOPE], createdBy = null, condition = sql`true` }: NewKeyOptions = {},
) {
  const now = Date.now();
  const apiKeyId = id ?? uuidv7(shardOf(accountId), now);
  const { apiKey, ...kept } = await newValue(shardOf(accountId));
  const row: ApiKey = {
    id: apiKeyId,
    accountId,
    name,
    ...kept,
    active: true,
    createdAt: now,
    lastUsedAt: null,
    expiresAt,
    scopes,
    createdBy,
  };
  const insert = db.insert(apiKeys).select(sql`select ${rowValues(apiKeys, row)} where ${condition}`);
  return { apiKey, apiKeyId, insert };
}

async function newValue(shard: number): Promise<Pick<ApiKey, 'lookup' | 'secretDigest'> & { apiKey: string }> {
  const lookup = alphanumericIn(shard, LOOKUP_CHARS);
  const secret = randomToken(SECRET_BYTES);
  return { apiKey: `pk_${lookup}_${secret}`, lookup, secretDigest: await sha256(secret) };
}

/**
 * Gives a key that nobody has used another value, and returns that: the reply that showed the first one was lost.
 * Throws `conflict` for a key that was used.
 */
export async function replaceUnusedKey(db: Db, accountId: string, apiKeyId: string): Promise<string> {
  const { apiKey, ...kept } = await newValue(shardOf(accountId));
  const isUnused = and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, accountId), isNull(apiKeys.lastUsedAt));
  const replaced = await db.update(apiKeys).set(kept).where(isUnused).returning({ id: apiKeys.id });
  if (replaced.length === 0) throw new DomainError('conflict', 'The API key is in use already, and is shown only once');
  return apiKey;
}

export const NewApiKey = z.object({
  name: ApiKeyName,
  /** `Y-m-d`: the last day on which it counts, in the account's time zone. */
  lastDay: z.string().nullish(),
  scopes: Scopes.default([EVERY_SCOPE]),
});

/** Who creates a key: what it is called where the key is shown, and the scopes that it may give away. */
export interface KeyCreator {
  name: string;
  scopes: Scopes;
}

/**
 * Creates an active API key of the account. Throws `invalid` for an empty or overlong name, an unknown scope, and a
 * last day that is none or over; `forbidden` for scopes beyond those of its creator.
 */
export async function createApiKey(
  ctx: AccountContext,
  input: z.input<typeof NewApiKey>,
  creator?: KeyCreator,
): Promise<CreatedApiKey> {
  const { name, lastDay, scopes } = checked(NewApiKey, input);
  if (creator) refuseMore(creator, scopes);
  const expiresAt = lastDay ? endOf(lastDay, ctx.account.timezone) : null;
  const more = { expiresAt, scopes, createdBy: creator?.name };
  const { apiKey, apiKeyId, insert } = await newApiKey(ctx.db, ctx.account.id, name, more);
  const shown = { field: 'scopes', new: scopes };
  const action = {
    action: 'api_key.create',
    target: { type: 'api_key', id: apiKeyId, name },
    changes: [shown],
  } as const;
  // The value is shown once, so the row that is found must be that of this very value: its identifier is as new.
  const find = async () => {
    const isIt = and(eq(apiKeys.id, apiKeyId), eq(apiKeys.accountId, ctx.account.id));
    const found = await ctx.db.select({ id: apiKeys.id }).from(apiKeys).where(isIt);
    return found.length > 0 ? true : undefined;
  };
  await writeOnce({}, find, async () => {
    await ctx.db.batch([insert, recordAction(ctx, action)]);
    return true;
  });
  return { apiKey, apiKeyId };
}

/** Refuses to give a key rights that its creator lacks. */
export function refuseMore({ scopes }: KeyCreator, wanted: Scopes): void {
  const beyond = scopesBeyond(scopes, wanted);
  if (beyond.length > 0)
    throw new DomainError('forbidden', fieldIssue('scopes', `you need these scopes yourself: ${beyond.join(', ')}`));
}

/** The moment at which a day ends. */
function endOf(day: string, timezone: string): number {
  const begin = parseDate(day, timezone);
  if (begin === undefined) throw invalidField('lastDay', `${DATE_HINT}`);
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const end = parseDate(next.toISOString().slice(0, 10), timezone)!;
  if (end <= Date.now()) throw invalidField('lastDay', 'must not be in the past');
  return end;
}
