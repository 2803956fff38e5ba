import type { D1Faults } from './d1-faults.ts';
import { recordChange, recordStatement } from './statement-record.ts';

/** A statement with its operands, in serializable form. */
export interface BoundStatement {
  sql: string;
  params: unknown[];
}

/**
 * The part of D1 that the domain, its tests and the benchmark use, based on a function that runs the statements of one
 * round trip. Miniflare's own client calls the runtime for each `prepare` and `bind`, which takes longer than the
 * statements.
 */
export function d1Over(run: (statements: BoundStatement[]) => Promise<D1Result[]>): D1Database {
  const statement = (sql: string, params: unknown[] = [], runs = run) => ({
    sql,
    params,
    bind: (...values: unknown[]) => statement(sql, values, runs),
    all: async () => (await runs([{ sql, params }]))[0],
    run: async () => (await runs([{ sql, params }]))[0],
    first: async () => (await runs([{ sql, params }]))[0]!.results[0] ?? null,
  });
  const batchOf = (runs: typeof run) => (statements: BoundStatement[]) =>
    runs(statements.map(({ sql, params }) => ({ sql, params })));
  const session = { prepare: (sql: string) => statement(sql), batch: batchOf(run), getBookmark: () => null };
  const runRecorded: typeof run = async (statements) => {
    const results = await run(statements);
    for (const [i, { meta }] of results.entries()) recordChange(statements[i]!.sql, meta?.changes ?? 0);
    return results;
  };
  // The product only uses sessions (`platform/db.ts`); tests that inspect the database use none.
  const recorded = {
    ...session,
    batch: batchOf(runRecorded),
    prepare(sql: string) {
      recordStatement(sql);
      return statement(sql, [], runRecorded);
    },
  };
  // The product uses nothing else of a database.
  return { ...session, withSession: () => recorded } as unknown as D1Database;
}

/** A D1 that forwards round trips through `around`, which may fail before or after `work`, or skip it. */
export function d1Around(
  d1: D1Database,
  around: (work: () => Promise<D1Result[]>, statements: BoundStatement[]) => Promise<D1Result[]>,
): D1Database {
  return d1Over((statements) =>
    around(() => d1.batch(statements.map(({ sql, params }) => d1.prepare(sql).bind(...params))), statements),
  );
}

/** A D1 whose round trips fail according to `faults`. */
export function faultyD1(d1: D1Database, faults: D1Faults): D1Database {
  return d1Around(d1, (work) => faults.run(work));
}
