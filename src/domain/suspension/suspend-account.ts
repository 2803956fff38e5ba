import { listBelow, treeOf } from '../account-tree.ts';
import { setSuspended } from '../accounts/set-suspended.ts';
import { type Context, inAccount } from '../context.ts';
import { inEachDatabase } from '../databases/list-databases.ts';
import { wakeMessages } from '../messages/wake-messages.ts';
import { ALL, inPages } from '../purge.ts';
import { wakePushes } from '../pushes/wake-pushes.ts';

/**
 * Suspends an account: from the next request on its keys and those of its sub-customers are refused, and their
 * webhooks, messages, pushes and processes wait. Nothing is deleted. One batch. Throws not found.
 */
export function suspendAccount(ctx: Context, accountId: string): Promise<void> {
  return setSuspended(ctx, accountId, true);
}

/**
 * Resumes an account, then wakes its waiting work, page by page; after an interruption, the rest follows within
 * minutes. A sub-customer that was suspended itself stays so. Throws not found.
 */
export async function resumeAccount(ctx: Context, accountId: string): Promise<void> {
  await setSuspended(ctx, accountId, false);
  const now = Date.now();
  const own = inAccount(ctx, accountId);
  await inEachDatabase(own, async (there) => {
    const tree = there.db === own.db ? treeOf(accountId) : await listBelow(there, accountId);
    const wake = async () => {
      const results = await there.db.batch([wakeMessages(there, tree, now), ...wakePushes(there, tree, now)]);
      return Math.max(...results.map(({ meta }) => meta.changes));
    };
    await inPages(wake, ALL);
  });
}
