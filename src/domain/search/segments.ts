import type { AccountContext } from '../context.ts';

/** A stored query. */
export interface Segment {
  identifier: string;
  title: string;
  /** As it was sent; for `checkQuery`. */
  query: Record<string, unknown>;
}

/** The account's segment of that identifier; throws not found. */
export async function getSegment(ctx: AccountContext, id: string): Promise<Segment> {
  throw new Error(`not ready: ${ctx.requestId} ${id}`);
}
