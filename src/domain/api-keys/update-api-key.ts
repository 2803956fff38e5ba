import { and } from 'drizzle-orm';
import * as z from 'zod';
import { retryUntilWritten } from '../attempts.ts';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId } from '../write-once.ts';
import { getKeyWithin, hasRightsOf, isOwnKey } from './find-api-key.ts';
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
import { type KeyRights, refuseBeyond } from './rights.ts';
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
