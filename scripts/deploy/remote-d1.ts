import type { CloudflareApi } from './cloudflare-api.ts';

interface Statement {
  sql: string;
  params: unknown[];
}

/**
 * A deployed database with the interface the domain uses, through Cloudflare's API. A round trip is one request, and a
 * batch is one transaction.
 */
export function remoteD1(api: CloudflareApi, databaseId: string): D1Database {
  const path = `/d1/database/${databaseId}/query`;
  const run = async (statements: Statement[]): Promise<D1Result[]> => {
    const [only] = statements;
    const body = statements.length === 1 ? only! : { batch: statements };
    return api.call<D1Result[]>('POST', path, body);
  };
  const statement = (sql: string, params: unknown[] = []) => ({
    sql,
    params,
    bind: (...values: unknown[]) => statement(sql, values),
    all: async () => (await run([{ sql, params }]))[0],
  });
  const session = {
    prepare: (sql: string) => statement(sql),
    batch: (statements: Statement[]) => run(statements.map(({ sql, params }) => ({ sql, params }))),
    getBookmark: () => null,
  };
  // The domain uses nothing else of a database (`src/platform/db.ts`).
  return { withSession: () => session } as unknown as D1Database;
}
