/** A statement with its operands, as it travels to whoever runs it. */
export interface BoundStatement {
  sql: string;
  params: unknown[];
}

/**
 * The part of D1 that the domain, its tests and the benchmark call, over a function that runs the statements of one round trip: Miniflare's own client asks the runtime for each `prepare`
 * and `bind`, which takes longer than the statements.
 */
export function d1Over(run: (statements: BoundStatement[]) => Promise<D1Result[]>): D1Database {
  const statement = (sql: string, params: unknown[] = []) => ({
    sql,
    params,
    bind: (...values: unknown[]) => statement(sql, values),
    all: async () => (await run([{ sql, params }]))[0],
    run: async () => (await run([{ sql, params }]))[0],
    first: async () => (await run([{ sql, params }]))[0]!.results[0] ?? null,
  });
  const session = {
    prepare: (sql: string) => statement(sql),
    batch: (statements: BoundStatement[]) => run(statements.map(({ sql, params }) => ({ sql, params }))),
    getBookmark: () => null,
  };
  return { ...session, withSession: () => session } as unknown as D1Database;
}
