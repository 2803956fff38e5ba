import { and, sql } from 'drizzle-orm';
import * as z from 'zod';
import { findEntry, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { newId, writeOnce } from '../write-once.ts';
import { getKeyWithin, hasRightsOf, isOwnKey } from './find-api-key.ts';
import { newValue, valueAgain } from './key-value.ts';
import type { KeyRights } from './rights.ts';
import { apiKeys } from './table.ts';

/** A week. */
const OVERLAP_MINUTES_MAX = 10_080;
const OVERLAP_MINUTES = 1_440;
const MINUTE_MS = 60_000;
const OVERLAP_HINT = `must be an integer from 0 to ${OVERLAP_MINUTES_MAX}`;

/** How long the previous value stays valid. */
export const Rotation = z.object({
  overlapMinutes: z
    .int(OVERLAP_HINT)
    .min(0, OVERLAP_HINT)
    .max(OVERLAP_MINUTES_MAX, OVERLAP_HINT)
    .default(OVERLAP_MINUTES),
});

/** A key's new value, and when the previous one expires, in UTC milliseconds; null: it has expired. */
export interface RotatedKey {
  apiKey: string;
  previousUntil: number | null;
}

/**
 * Gives a key of the account a new value. The previous one stays valid for the overlap; any older one expires. The
 * first part stays, so one lookup finds both. Throws `not_found`, `forbidden` for a key with rights beyond `own`, and
 * `conflict` if it was rotated again before the request was repeated.
 */
export async function rotateApiKey(
  ctx: AccountContext,
  apiKeyId: string,
  { overlapMinutes }: z.output<typeof Rotation>,
  own: KeyRights,
): Promise<RotatedKey> {
  const purpose = `rotate key ${apiKeyId}`;
  const entryId = newId(ctx, purpose);
  const find = async () => {
    if ((await findEntry(ctx, entryId)) === undefined) return undefined;
    const key = await getKeyWithin(ctx, apiKeyId, own);
    const apiKey = await valueAgain(ctx, key, purpose);
    if (!apiKey) throw new DomainError('conflict', 'The API key was rotated again in the meantime');
    return { apiKey, previousUntil: key.previousUntil };
  };
  return writeOnce(ctx, find, async () => {
    const key = await getKeyWithin(ctx, apiKeyId, own);
    const { apiKey, secretDigest } = await newValue(ctx, key.lookup, purpose);
    const previousUntil = overlapMinutes > 0 ? Date.now() + overlapMinutes * MINUTE_MS : null;
    const isTarget = and(isOwnKey(ctx, apiKeyId), hasRightsOf(key))!;
    const target = { type: 'api_key', id: apiKeyId, name: sql`${apiKeys.name}` };
    const changes = [{ field: 'overlapMinutes', new: overlapMinutes }];
    const [, rotated] = await ctx.db.batch([
      recordAction(ctx, { id: entryId, action: 'api_key.rotate', target, changes, from: apiKeys }, isTarget),
      ctx.db
        .update(apiKeys)
        .set({ secretDigest, previousDigest: previousUntil ? sql`${apiKeys.secretDigest}` : null, previousUntil })
        .where(isTarget)
        .returning({ id: apiKeys.id }),
    ]);
    if (rotated.length === 0)
      throw new DomainError('conflict', 'The API key is being changed by other requests; try again');
    return { apiKey, previousUntil };
  });
}
