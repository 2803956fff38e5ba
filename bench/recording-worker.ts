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

/** A request's D1 statements by round trip, and its reply. */
export interface Recording {
  roundTrips: BoundStatement[][];
  status: number;
  body: string;
  /** When it ended, UTC milliseconds. */
  at: number;
}

/** Round trips of the current request; requests are sequential. */
let roundTrips: BoundStatement[][] = [];
/** The database map is read after the reply; no request waits for it. */
const IS_MAP = /from "shard_places"/;
/** The bindings, created once per isolate, because the product caches by them. */
let recorded: Env | undefined;

/** The product, with replies that have the D1 statements of the request up to the reply, and the reply's own body. */
export default {
  async fetch(request, env, execution): Promise<Response> {
    roundTrips = [];
    recorded ??= recordingEnv(env);
    const reply = await product.fetch(request, recorded, execution);
    const body = await reply.text();
    return Response.json({ roundTrips, status: reply.status, body, at: Date.now() } satisfies Recording);
  },
} satisfies ExportedHandler<Env>;

/** Wraps the bindings' databases to record their statements. */
function recordingEnv(env: Env): Env {
  const isDatabase = (name: string) => /^DB(_\d+)?$/.test(name);
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    isDatabase(name) ? recording(binding as D1Database) : binding,
  ]);
  return Object.fromEntries(bindings) as Env;
}

function note(statements: BoundStatement[]): void {
  const asked = statements.filter(({ sql }) => !IS_MAP.test(sql)).map(({ sql, params }) => ({ sql, params }));
  if (asked.length > 0) roundTrips.push(asked);
}

/** Wraps a database to record its statements. */
function recording(database: D1Database): D1Database {
  type Statement = BoundStatement & { native: D1PreparedStatement };
  const statement = (sql: string, native: D1PreparedStatement, params: unknown[] = []) => ({
    sql,
    params,
    native,
    bind: (...values: unknown[]) => statement(sql, native.bind(...values), values),
    all(): Promise<D1Result> {
      note([this]);
      return native.all();
    },
  });
  const withSession = (bookmark?: string) => {
    const session = database.withSession(bookmark);
    return {
      prepare: (sql: string) => statement(sql, session.prepare(sql)),
      batch(statements: Statement[]) {
        note(statements);
        return session.batch(statements.map(({ native }) => native));
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  // The product uses nothing else of a database (`platform/db.ts`).
  return { withSession } as unknown as D1Database;
}
