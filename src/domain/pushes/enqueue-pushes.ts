import { type Context, enqueueOrLog } from '../context.ts';
import type { Job } from '../jobs.ts';
import { PAGE_PASSES } from './leases.ts';
import type { Wallet } from './table.ts';

/** A pass that a wallet must be notified of. */
export interface AskedPush {
  passId: string;
  accountId: string;
  wallet: Wallet;
}

/** Pushes of a changed pass, as far as the state that was read shows who has it; whoever came since is the cron's. */
export function pushesOf(pass: {
  id: string;
  accountId: string;
  numberOfActive: number;
  googlePublishedAt: number | null;
}): AskedPush[] {
  const { id: passId, accountId } = pass;
  return [
    ...(pass.numberOfActive > 0 ? [{ passId, accountId, wallet: 'apple' as const }] : []),
    ...(pass.googlePublishedAt !== null ? [{ passId, accountId, wallet: 'google' as const }] : []),
  ];
}

/**
 * Enqueues requested and committed pushes: devices of up to a page of an account's passes together, Google objects one
 * by one, since each is a request or two of its own.
 */
export function enqueuePushes(ctx: Context, pushes: AskedPush[]): Promise<void> {
  const devices = pushes.filter(({ wallet }) => wallet === 'apple');
  const ofAccounts = [...Map.groupBy(devices, ({ accountId }) => accountId).values()];
  return enqueueOrLog(ctx, [
    ...ofAccounts.flatMap((ofAccount) =>
      pagesOf(ofAccount).map((page): Job => ({ type: 'push-passes', passIds: page.map(({ passId }) => passId) })),
    ),
    ...pushes
      .filter(({ wallet }) => wallet === 'google')
      .map(({ passId }): Job => ({ type: 'push-to-google', passId })),
  ]);
}

/** A list in pieces of up to a page. */
export function pagesOf<T>(list: T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / PAGE_PASSES) }, (_, page) =>
    list.slice(page * PAGE_PASSES, (page + 1) * PAGE_PASSES),
  );
}
