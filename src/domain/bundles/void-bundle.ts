import { untilWritten } from '../attempts.ts';
import type { AccountContext } from '../context.ts';
import { changePasses } from '../passes/change-passes.ts';
import { getBundlePasses } from './find-bundle.ts';

/**
 * Voids all passes of a bundle, or makes them valid again, in one batch; those that are in that state already stay as
 * they are. Returns the identifiers of all its passes, so that a repeated request has the same reply. Three round
 * trips. Throws not found.
 */
export function voidBundle(ctx: AccountContext, bundleId: string, voided: boolean): Promise<string[]> {
  return untilWritten('The passes', async () => {
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
