import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { sha256 } from '../../platform/crypto.ts';
import { parseDate } from '../../platform/dates.ts';
import type { Db } from '../../platform/db.ts';
import { randomAlphanumeric, randomToken, shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { DATE_HINT } from '../fields.ts';
import { type ApiKey, apiKeys } from './table.ts';

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

/** A new key and the statement that stores it where `condition` holds, to be committed with what belongs to it. */
export async function newApiKey(
  db: Db,
  accountId: string,
  name: string,
  { expiresAt = null, condition = sql`true` }: { expiresAt?: number | null; condition?: SQL } = {},
) {
  const now = Date.now();
  const apiKeyId = uuidv7(shardOf(accountId), now);
  const lookup = randomAlphanumeric(LOOKUP_CHARS);
  const secret = randomToken(SECRET_BYTES);
  const row: ApiKey = {
    id: apiKeyId,
    accountId,
    name,
    lookup,
    secretDigest: await sha256(secret),
    active: true,
    createdAt: now,
    lastUsedAt: null,
    expiresAt,
  };
  const insert = db.insert(apiKeys).select(sql`select ${rowValues(apiKeys, row)} where ${condition}`);
  return { apiKey: `pk_${lookup}_${secret}`, apiKeyId, insert };
}

export const NewApiKey = z.object({
  name: ApiKeyName,
  /** `Y-m-d`: the last day on which it counts, in the account's time zone. */
  lastDay: z.string().nullish(),
});

/** Creates an active API key of the account. Throws `invalid` for an empty or overlong name, and for a last day that is none or over. */
export async function createApiKey(ctx: AccountContext, input: z.input<typeof NewApiKey>): Promise<CreatedApiKey> {
  const { name, lastDay } = checked(NewApiKey, input);
  const expiresAt = lastDay ? endOf(lastDay, ctx.account.timezone) : null;
  const { apiKey, apiKeyId, insert } = await newApiKey(ctx.db, ctx.account.id, name, { expiresAt });
  await insert;
  return { apiKey, apiKeyId };
}

/** The moment at which a day ends. */
function endOf(day: string, timezone: string): number {
  const begin = parseDate(day, timezone);
  if (begin === undefined) throw invalid(`lastDay: ${DATE_HINT}`);
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const end = parseDate(next.toISOString().slice(0, 10), timezone)!;
  if (end <= Date.now()) throw invalid('lastDay: must not be over');
  return end;
}
