import type { BatchItem } from 'drizzle-orm/batch';
import type { Db } from './db.ts';

/** Queries for a shared batch, and the function that reads their results. */
export interface BatchPart<T> {
  queries: BatchItem<'sqlite'>[];
  /** Reads the results of `queries`, in order. */
  read(results: unknown[]): T;
}

/** A part without queries, whose result is undefined. */
export const EMPTY_PART: BatchPart<never> = { queries: [], read: () => undefined as never };

/** Returns a part with one query and its rows as result. */
export function rowsOf<T>(query: BatchItem<'sqlite'> & PromiseLike<T>): BatchPart<T> {
  return { queries: [query], read: ([rows]) => rows as T };
}

/** Reads a single part in one round trip. */
export async function readPart<T>(db: Db, { queries, read }: BatchPart<T>): Promise<T> {
  return read(queries.length > 0 ? await db.batch(queries as [BatchItem<'sqlite'>]) : []);
}

/** Combines several parts. */
export function allOf<T>(parts: BatchPart<T>[]): BatchPart<T[]> {
  return {
    queries: parts.flatMap(({ queries }) => queries),
    read(results) {
      let at = 0;
      return parts.map(({ queries, read }) => {
        const from = at;
        at += queries.length;
        return read(results.slice(from, at));
      });
    },
  };
}

/** Combines two parts. */
export function bothOf<A, B>(first: BatchPart<A>, second: BatchPart<B>): BatchPart<[A, B]> {
  const { length } = first.queries;
  return {
    queries: [...first.queries, ...second.queries],
    read: (results) => [first.read(results.slice(0, length)), second.read(results.slice(length))],
  };
}
