import { and, sql } from 'drizzle-orm';
import * as z from 'zod';
import { retryUntilWritten } from '../attempts.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { columnChanges, findEntry, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import { newId, writeOnce } from '../write-once.ts';
import { newValue, valueAgain } from './create-api-key.ts';
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
import { getKeyWithin, hasRightsOf, isOwnKey } from './list-api-keys.ts';
import { ALL_RIGHTS, type KeyRights, refuseBeyond } from './rights.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** Changes to a key; null removes a limit. */
export const ApiKeyPatch = z.object({
  name: ApiKeyName.optional(),
  scopes: KeyScopes.optional(),
  templateIds: KeyTemplates.optional(),
  allowedIps: KeyAddresses.optional(),
  expiresAt: KeyExpiry.optional(),
  active: z.boolean().optional(),
});

type Patch = z.output<typeof ApiKeyPatch> & {
  /** `Y-m-d`: the last day on which the key is valid, in the account's time zone; replaces `expiresAt`. */
  lastDay?: string;
};

/**
 * Changes a key of the account and returns it; equal values write nothing. `own` are the rights of the caller. Throws
 * `not_found`, `invalid`, and `forbidden` for a key with rights beyond `own`, before or after the change.
 */
export function updateApiKey(
  ctx: AccountContext,
  apiKeyId: string,
  { lastDay, ...patch }: Patch,
  own: KeyRights,
): Promise<ApiKey> {
  return retryUntilWritten('The API key', async () => {
    const before = await getKeyWithin(ctx, apiKeyId, own);
    const { templateIds = before.templateIds } = patch;
    const next = {
      ...before,
      ...patch,
      templateIds:
        patch.templateIds === undefined
          ? templateIds
          : await findKeyTemplates(ctx, templateIds, own, before.templateIds ?? []),
      ...(lastDay ? { expiresAt: endOf(lastDay, ctx.account.timezone) } : {}),
    };
    if (next.expiresAt !== before.expiresAt) refuseExpired(next.expiresAt);
    refuseBeyond(own, next);
    const { name, scopes, allowedIps, expiresAt, active } = next;
    const values = { name, scopes, templateIds: next.templateIds, allowedIps, expiresAt, active };
    const changed = Object.entries(values).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof typeof values]),
    );
    if (changed.length === 0) return next;
    const set = Object.fromEntries(changed) as Partial<typeof values>;
    const isTarget = and(isOwnKey(ctx, apiKeyId), hasRightsOf(before))!;
    const id = newId(ctx, `update key ${apiKeyId} ${JSON.stringify(set)}`);
    const target = { type: 'api_key', id: apiKeyId, name };
    const changes = columnChanges(apiKeys, set);
    const [, written] = await ctx.db.batch([
      recordAction(ctx, { id, action: 'api_key.update', target, changes, from: apiKeys }, isTarget),
      ctx.db.update(apiKeys).set(set).where(isTarget).returning({ id: apiKeys.id }),
    ]);
    return written.length > 0 ? next : undefined;
  });
}

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
interface RotatedKey {
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

/**
 * Deletes a key of the account. Throws `not_found`, and `forbidden` for a key with rights beyond `own`: that check
 * takes an extra round trip.
 */
export async function deleteApiKey(ctx: AccountContext, apiKeyId: string, own = ALL_RIGHTS): Promise<void> {
  const target = { type: 'api_key', id: apiKeyId, name: sql`${apiKeys.name}` };
  await enterOnce(ctx, `delete key ${apiKeyId}`, async (id) => {
    const found = own === ALL_RIGHTS ? undefined : await getKeyWithin(ctx, apiKeyId, own);
    const isTarget = and(isOwnKey(ctx, apiKeyId), found && hasRightsOf(found));
    const [, deleted] = await ctx.db.batch([
      recordAction(ctx, { id, action: 'api_key.delete', target, from: apiKeys }, isTarget),
      ctx.db.delete(apiKeys).where(isTarget).returning({ id: apiKeys.id }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}
