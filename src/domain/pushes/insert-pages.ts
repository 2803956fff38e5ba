import type { BatchItem } from 'drizzle-orm/batch';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import type { beginFanOut } from './begin-fan-out.ts';
import { HAND_OVER_LEASE_MS } from './leases.ts';
import { pagesOf } from './push-jobs.ts';
import { type PushPage, pushPages } from './table.ts';

/**
 * Begins a fan-out with the statements of `begin` for the passes with these ascending keys, and enqueues its pages. One
 * round trip.
 */
export async function insertPages(
  ctx: AccountContext,
  fanOutId: string,
  keys: number[],
  begin: [ReturnType<typeof beginFanOut>, ...BatchItem<'sqlite'>[]],
): Promise<void> {
  const now = Date.now();
  const pages = pagesOf(keys).map(
    (ofPage): PushPage => ({
      fanOutId,
      number: ofPage[0]!,
      last: ofPage.at(-1)!,
      keys: ofPage,
      revision: 0,
      requestedAt: now,
      dueAt: now + HAND_OVER_LEASE_MS,
      claim: null,
      attempts: 0,
    }),
  );
  await commit(
    ctx,
    [...begin, ...pages.map((page) => ctx.db.insert(pushPages).values(page))],
    pages.map(({ number }) => ({ type: 'push-page', accountId: ctx.account.id, fanOutId, page: number })),
  );
}
