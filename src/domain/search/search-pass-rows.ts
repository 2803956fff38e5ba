import type { AccountContext } from '../context.ts';
import type { Pass } from '../passes/table.ts';
import type { ResolvedQuery } from './check-query.ts';
import { countSelected } from './count-passes.ts';
import { findPasses, keyAfter } from './find-passes.ts';
import { planQuery } from './plan.ts';

/** One page of passes as they are stored. */
export interface PassRowPage {
  passes: Pass[];
  /** Passes that the query selects, on all pages. */
  total: number;
  hasMore: boolean;
}

/**
 * One page of the passes that a query selects, newest first, `after` the one of that identifier. One round trip for the
 * first page of a query without conditions; see `searchPasses`, which adds definitions.
 */
export async function searchPassRows(
  ctx: AccountContext,
  query: ResolvedQuery,
  { after, limit }: { after?: string; limit: number },
): Promise<PassRowPage> {
  if (query.scope.templates.length === 0) return { passes: [], total: 0, hasMore: false };
  const plan = await planQuery(ctx, query);
  const behind = after === undefined ? undefined : await keyAfter(ctx, after, 'newest');
  const found = await findPasses(ctx, plan, { order: 'newest', behind, limit: limit + 1 });
  const hasMore = found.length > limit;
  const total = behind === undefined && !hasMore ? found.length : await countSelected(ctx, plan);
  return { passes: found.slice(0, limit), total, hasMore };
}

/** Passes that are read at once: a few megabytes, with the longest texts that passes usually have. */
const EXPORT_PAGE_PASSES = 500;

/** Oldest first, a page in memory at a time; a round trip each. What is created meanwhile comes at the end. */
export async function* eachPageOfPasses(ctx: AccountContext, query: ResolvedQuery): AsyncGenerator<Pass[]> {
  if (query.scope.templates.length === 0) return;
  const plan = await planQuery(ctx, query);
  let behind: number | undefined;
  for (;;) {
    const page = await findPasses(ctx, plan, { order: 'oldest', behind, limit: EXPORT_PAGE_PASSES });
    if (page.length > 0) yield page;
    if (page.length < EXPORT_PAGE_PASSES) return;
    behind = page.at(-1)!.key;
  }
}
