import type { BatchItem } from 'drizzle-orm/batch';
import { type Context, enqueueOrLog } from '../context.ts';
import type { beginFanOut } from './begin-fan-out.ts';
import { pagesOf } from './enqueue-pushes.ts';
import { HAND_OVER_LEASE_MS } from './leases.ts';
import { type PushPage, pushPages } from './table.ts';

/**
 * Begins a fan-out by the statements of `begin` to the passes of these keys, which rise, and hands its pages to the
 * queue. One round trip.
 */
export async function insertPages(
  ctx: Context,
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
      isWritten: false,
      requestedAt: now,
      dueAt: now + HAND_OVER_LEASE_MS,
      claim: null,
      attempts: 0,
    }),
  );
  await ctx.db.batch([...begin, ...pages.map((page) => ctx.db.insert(pushPages).values(page))]);
  await enqueueOrLog(
    ctx,
    pages.map(({ number }) => ({ type: 'push-page', fanOutId, page: number })),
  );
}
