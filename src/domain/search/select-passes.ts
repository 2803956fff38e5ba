import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';
import { countSelected } from './count-passes.ts';
import { findPassIds, keyAfter } from './find-passes.ts';
import { planQuery } from './plan.ts';

/**
 * Identifiers of the passes that a query selects, in the order in which they were stored, after `afterId` (which may
 * have been deleted meanwhile). A page that is shorter than `limit` is the last one; passes that are stored while pages
 * are read come at the end.
 */
export async function selectPassIds(
  ctx: AccountContext,
  query: ResolvedQuery,
  { afterId, limit }: { afterId?: string; limit: number },
): Promise<string[]> {
  const plan = await planQuery(ctx, query);
  const behind = afterId === undefined ? undefined : await keyAfter(ctx, afterId, 'oldest');
  return findPassIds(ctx, plan, { order: 'oldest', behind, limit });
}

/** Number of passes that a query selects; see `countSelected` for its cost. */
export async function countPasses(ctx: AccountContext, query: ResolvedQuery): Promise<number> {
  return countSelected(ctx, await planQuery(ctx, query));
}
