import product from '../src/index.ts';
import type { Env } from '../src/platform/env.ts';
import type { BoundStatement } from '../test/support/d1-over.ts';

export {
  BundleObject,
  GooglePaceObject,
  ProcessObject,
  ProcessStates,
  RequestCounterObject,
} from '../src/index.ts';

/** What a request has asked of D1, by round trip, and what it was answered. */
export interface Recording {
  roundTrips: BoundStatement[][];
  status: number;
  body: string;
  /** When it ended, UTC milliseconds. */
  at: number;
}

/** The product, which answers each request with what it has asked of D1 until the reply, and with that reply's body. */
export default {
  async fetch(request, env, execution): Promise<Response> {
    const roundTrips: BoundStatement[][] = [];
    const isDatabase = (name: string) => /^DB(_\d+)?$/.test(name);
    const bindings = Object.entries(env).map(([name, binding]) => [
      name,
      isDatabase(name) ? recording(binding as D1Database, roundTrips) : binding,
    ]);
    const reply = await product.fetch(request, Object.fromEntries(bindings) as Env, execution);
    const recorded = { roundTrips: [...roundTrips], status: reply.status, body: await reply.text(), at: Date.now() };
    return Response.json(recorded satisfies Recording);
  },
} satisfies ExportedHandler<Env>;

/** The database, with what is asked of it added to `roundTrips`. */
function recording(database: D1Database, roundTrips: BoundStatement[][]): D1Database {
  type Statement = BoundStatement & { native: D1PreparedStatement };
  const noted = ({ sql, params }: Statement) => ({ sql, params });
  const statement = (sql: string, native: D1PreparedStatement, params: unknown[] = []) => ({
    sql,
    params,
    native,
    bind: (...values: unknown[]) => statement(sql, native.bind(...values), values),
    all(): Promise<D1Result> {
      roundTrips.push([noted(this)]);
      return native.all();
    },
  });
  const withSession = (bookmark?: string) => {
    const session = database.withSession(bookmark);
    return {
      prepare: (sql: string) => statement(sql, session.prepare(sql)),
      batch(statements: Statement[]) {
        roundTrips.push(statements.map(noted));
        return session.batch(statements.map(({ native }) => native));
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  // The product asks no more of a database than this (`platform/db.ts`).
  return { withSession } as unknown as D1Database;
}
