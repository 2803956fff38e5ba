import { env } from 'cloudflare:workers';
import product from '../src/index.ts';
import type { Env } from '../src/platform/env.ts';
import { type DatabaseWork, WORK_PATH } from './database-work.ts';

export {
  BundleObject,
  GooglePaceObject,
  ProcessObject,
  ProcessStates,
  RequestCounterObject,
} from '../src/index.ts';

/*
 * The product, extended to report how long its statements took: in requests, jobs and Durable Objects. Sessions and
 * statements of all databases share their classes.
 */

let work: DatabaseWork = { millis: 0, statements: 0 };

// The runtime doesn't type its bindings.
const session = (env as unknown as Env).DB.withSession('first-primary');
const sessions: D1DatabaseSession = Object.getPrototypeOf(session);
const statements: D1PreparedStatement = Object.getPrototypeOf(session.prepare('select 1'));
const { batch } = sessions;
const { all } = statements;

function add({ meta }: D1Result): void {
  work.millis += meta.duration;
  work.statements += 1;
}

sessions.batch = async function <T>(this: D1DatabaseSession, list: D1PreparedStatement[]) {
  const results = await batch.call(this, list);
  for (const result of results) add(result);
  return results as D1Result<T>[];
};
statements.all = async function <T>(this: D1PreparedStatement) {
  const result = await all.call(this);
  add(result);
  return result as D1Result<T>;
};

export default {
  ...product,
  async fetch(request: Request, bindings: Env, execution: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname !== WORK_PATH) return product.fetch(request, bindings, execution);
    const said = Response.json(work);
    work = { millis: 0, statements: 0 };
    return said;
  },
};
