import { retryUntilWritten } from '../attempts.ts';
import type { AccountContext } from '../context.ts';
import { changePasses } from '../passes/change-passes.ts';
import { getBundlePasses } from './find-bundle.ts';

/** Removes all passes from a bundle; its link then opens nothing. Three round trips. Throws not found. */
export async function dissolveBundle(ctx: AccountContext, id: string): Promise<void> {
  await retryUntilWritten('The passes', async () => {
    const found = await getBundlePasses(ctx, id);
    const values = { bundleId: null, bundlePageToken: null };
    return (
      (await changePasses(ctx, { found, values, event: 'pass_updated', action: 'bundle.dissolve', bundleId: id })) ||
      undefined
    );
  });
}
