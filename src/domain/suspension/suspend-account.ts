import { listBelow, treeOf } from '../account-tree.ts';
import { setSuspended } from '../accounts/set-suspended.ts';
import { type Context, inAccount } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { makeMessagesDue } from '../messages/resume-messages.ts';
import { PAGE_ROWS, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import { makePushesDue } from '../pushes/resume-pushes.ts';

/**
 * Suspends an account: from the next request on its keys and those of its sub-customers are refused, and their
 * webhooks, messages, pushes and processes wait. Nothing is deleted. One batch. Throws not found.
 */
export function suspendAccount(ctx: Context, accountId: string): Promise<void> {
  return setSuspended(ctx, accountId, true);
}

/**
 * Resumes an account, then makes its waiting work due: in each database, the first pages of each kind. The rest is due
 * within `SUSPENDED_WAIT_MS`, also after an interruption, because the cron postpones work by no more. A sub-customer
 * that was suspended itself stays so. Throws not found.
 */
export async function resumeAccount(ctx: Context, accountId: string): Promise<void> {
  await setSuspended(ctx, accountId, false);
  const now = Date.now();
  const own = inAccount(ctx, accountId);
  await forEachDatabase(own, async (there) => {
    const tree = there.db === own.db ? treeOf(accountId) : await listBelow(there, accountId);
    const makeDue = async () => {
      const results = await there.db.batch([makeMessagesDue(there, tree, now), ...makePushesDue(there, tree, now)]);
      return Math.max(...results.map(({ meta }) => meta.changes));
    };
    await runInPages(makeDue, { enough: PAGE_ROWS, pagesMax: RUN_PAGES_MAX });
  });
}
