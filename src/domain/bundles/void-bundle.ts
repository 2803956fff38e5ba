import { retryUntilWritten } from '../attempts.ts';
import type { AccountContext } from '../context.ts';
import { changePasses } from '../passes/change-passes.ts';
import { getBundlePasses } from './find-bundle.ts';

/**
 * Voids or restores all passes of a bundle in one batch; passes already in that state stay as they are. Returns the IDs
 * of all its passes, so that a repeated request gets the same reply. Three round trips. Throws not found.
 */
export function voidBundle(ctx: AccountContext, bundleId: string, voided: boolean): Promise<string[]> {
  return retryUntilWritten('The passes', async () => {
    const members = await getBundlePasses(ctx, bundleId);
    const written = await changePasses(ctx, {
      found: members.filter(({ pass }) => pass.voided !== voided),
      values: voided ? { voided } : { voided, redeemed: false },
      event: voided ? 'pass_voided' : 'pass_unvoided',
      action: voided ? 'bundle.void' : 'bundle.unvoid',
      bundleId,
    });
    return written ? members.map(({ pass }) => pass.id) : undefined;
  });
}
