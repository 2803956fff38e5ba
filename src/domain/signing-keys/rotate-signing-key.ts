import { ALWAYS, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { writeOnce } from '../write-once.ts';
import { activeKeyQuery, insertSigningKey, isActiveKey, newSigningKey } from './find-signing-keys.ts';
import { type SigningKey, signingKeys } from './table.ts';

/**
 * Replaces the account's signing key by a new one, or makes the first. What the old key has signed stays verifiable,
 * because its public part remains listed; passes show signatures of the new key from their next rendering on.
 */
export async function rotateSigningKey(ctx: AccountContext): Promise<SigningKey> {
  const key = await newSigningKey(ctx);
  const action = { action: 'signing_key.rotate', target: { type: 'signing_key', id: key.id } } as const;
  const find = async () => (await activeKeyQuery(ctx)).find(({ id }) => id === key.id);
  return writeOnce({}, find, async () => {
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
