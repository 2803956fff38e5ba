import type { AccountContext } from '../context.ts';
import type { ResolvedQuery } from './check-query.ts';

/**
 * Identifiers of the passes that a query selects, in the order in which they were stored, after `afterId` (which may have been deleted meanwhile). A page that is shorter than `limit` is the last one.
 */
export async function selectPassIds(
  ctx: AccountContext,
  query: ResolvedQuery,
  page: { afterId?: string; limit: number },
): Promise<string[]> {
  throw new Error(`not ready: ${ctx.requestId} ${query} ${page.limit}`);
}

/** Number of passes that a query selects. */
export async function countPasses(ctx: AccountContext, query: ResolvedQuery): Promise<number> {
  throw new Error(`not ready: ${ctx.requestId} ${query}`);
}
