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

/** Round trips of the current request; requests come one after the other. */
let roundTrips: BoundStatement[][] = [];
/** The map of databases is read behind a reply, for which no request waits. */
const IS_MAP = /from "shard_places"/;
/** The bindings, made once as those of an isolate: the product remembers things by them. */
let recorded: Env | undefined;

/** The product, which answers each request with what it has asked of D1 until the reply, and with that reply's body. */
export default {
  async fetch(request, env, execution): Promise<Response> {
    roundTrips = [];
    recorded ??= recordingEnv(env);
    const reply = await product.fetch(request, recorded, execution);
    const body = await reply.text();
    return Response.json({ roundTrips, status: reply.status, body, at: Date.now() } satisfies Recording);
  },
} satisfies ExportedHandler<Env>;

/** The bindings with databases that note what is asked of them. */
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

/** The database, with what is asked of it noted. */
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
  // The product asks no more of a database than this (`platform/db.ts`).
  return { withSession } as unknown as D1Database;
}
