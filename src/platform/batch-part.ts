import type { BatchItem } from 'drizzle-orm/batch';

/** Queries for a batch with others, and what their results say. */
export interface BatchPart<T> {
  queries: BatchItem<'sqlite'>[];
  /** Takes the results of `queries`, in their order. */
  read(results: unknown[]): T;
}

/** Nothing to ask, where what is read is undefined. */
export const EMPTY_PART: BatchPart<never> = { queries: [], read: () => undefined as never };

/** One query, whose rows are the result. */
export function rowsOf<T>(query: BatchItem<'sqlite'> & PromiseLike<T>): BatchPart<T> {
  return { queries: [query], read: ([rows]) => rows as T };
}

/** Two parts as one. */
export function bothOf<A, B>(first: BatchPart<A>, second: BatchPart<B>): BatchPart<[A, B]> {
  const { length } = first.queries;
  return {
    queries: [...first.queries, ...second.queries],
    read: (results) => [first.read(results.slice(0, length)), second.read(results.slice(length))],
  };
}
