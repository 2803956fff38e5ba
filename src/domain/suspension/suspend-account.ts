import { setSuspended } from '../accounts/set-suspended.ts';
import type { Context } from '../context.ts';
import { wakeMessages } from '../messages/wake-messages.ts';
import { wakePushes } from '../pushes/wake-pushes.ts';

/**
 * Suspends an account: from the next request on its keys and those of its sub-customers are refused, and their
 * webhooks, messages, pushes and processes wait. Nothing is deleted. One batch. Throws not found.
 */
export function suspendAccount(ctx: Context, accountId: string): Promise<void> {
  return setSuspended(ctx, accountId, true);
}

/**
 * Resumes an account, and lets go on what has waited. A sub-customer that was suspended by itself stays so. One batch.
 * Throws not found.
 */
export function resumeAccount(ctx: Context, accountId: string): Promise<void> {
  return setSuspended(ctx, accountId, false, (tree) => [wakeMessages(ctx, tree), ...wakePushes(ctx, tree)]);
}
