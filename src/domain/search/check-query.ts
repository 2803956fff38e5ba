import type { AccountContext } from '../context.ts';

/** A query whose fields, operators and values are checked and resolved for one account; lives as long as a request or job. Store the query as it was sent, not this. */
export interface ResolvedQuery {
  readonly resolved: true;
}

/**
 * Checks a query as a caller sent it (specification, "Query"). Throws `invalid` naming an unknown field or operator, and not found for an unknown or foreign
 * templateId or projectId.
 */
export async function checkQuery(ctx: AccountContext, input: unknown): Promise<ResolvedQuery> {
  throw new Error(`not ready: ${ctx.requestId} ${input}`);
}
