import type { BoundStatement } from '../test/support/d1-over.ts';

/**
 * Runs a request's statements as one batch, and nothing else: the upper limit of D1. `?quiet` answers only the counts.
 */
export default {
  async fetch(request: Request, { DB }: { DB: D1Database }): Promise<Response> {
    const statements = (await request.json()) as BoundStatement[];
    try {
      const results = await DB.batch(statements.map(({ sql, params }) => DB.prepare(sql).bind(...params)));
      const isQuiet = new URL(request.url).searchParams.has('quiet');
      return Response.json(isQuiet ? results.map(({ meta }) => ({ meta })) : results);
    } catch (error) {
      return new Response((error as Error).message, { status: 500 });
    }
  },
};
