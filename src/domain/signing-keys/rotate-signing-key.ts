import { and, eq } from 'drizzle-orm';
import { ALWAYS, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId, writeOnce } from '../write-once.ts';
import { activeKeyQuery, insertSigningKey, isActiveKey, newSigningKey } from './signer.ts';
import { type SigningKey, signingKeys } from './table.ts';

/**
 * Replaces the account's signing key with a new one, or creates the first. Signatures of the old key stay verifiable,
 * because its public part remains listed. Passes show signatures of the new key from their next rendering on.
 */
export async function rotateSigningKey(ctx: AccountContext): Promise<SigningKey> {
  const key = await newSigningKey(ctx, newId(ctx, 'signing-key'));
  const action = { action: 'signing_key.rotate', target: { type: 'signing_key', id: key.id } } as const;
  // Active or not: a repeat must not bring back a key that was replaced since.
  const isTarget = and(eq(signingKeys.id, key.id), eq(signingKeys.accountId, ctx.account.id));
  const find = async () => (await ctx.db.select().from(signingKeys).where(isTarget))[0];
  return writeOnce(ctx, find, async () => {
    const [, , , [active]] = await ctx.db.batch([
      ctx.db.update(signingKeys).set({ active: false }).where(isActiveKey(ctx)),
      insertSigningKey(ctx, key),
      recordAction(ctx, action, ALWAYS),
      activeKeyQuery(ctx),
    ]);
    if (!active) throw new Error(`account ${ctx.account.id} has no signing key`);
    return active;
  });
}
