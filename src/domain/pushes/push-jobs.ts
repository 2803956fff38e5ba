import type { Job } from '../jobs.ts';
import { PAGE_PASSES } from './leases.ts';
import type { Wallet } from './table.ts';

/** A pass that a wallet must be notified of. */
export interface AskedPush {
  passId: string;
  accountId: string;
  wallet: Wallet;
}

/**
 * The jobs of requested pushes: devices of up to a page of an account's passes together, Google objects one by one,
 * since each is a request or two of its own.
 */
export function pushJobs(pushes: AskedPush[]): Job[] {
  const { apple = [], google = [] } = Object.groupBy(pushes, ({ wallet }) => wallet);
  return [
    ...[...Map.groupBy(apple, ({ accountId }) => accountId)].flatMap(([accountId, ofAccount]) =>
      pagesOf(ofAccount).map(
        (page): Job => ({ type: 'push-passes', accountId, passIds: page.map(({ passId }) => passId) }),
      ),
    ),
    ...google.map(({ accountId, passId }): Job => ({ type: 'push-to-google', accountId, passId })),
  ];
}

/** A list in pieces of up to a page. */
export function pagesOf<T>(list: T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / PAGE_PASSES) }, (_, page) =>
    list.slice(page * PAGE_PASSES, (page + 1) * PAGE_PASSES),
  );
}
