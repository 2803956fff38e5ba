import { env } from 'cloudflare:workers';
import worker from '../../src/index.ts';
import type { Env } from '../../src/platform/env.ts';
import { shapeOf } from './statement-shape.ts';

export * from '../../src/index.ts';
export default worker;

/*
 * The Worker of `src/index.ts`, which also logs each statement that it prepares, once: `LogBook` hands them on. The
 * product opens D1 by sessions only (`platform/db.ts`), in requests, jobs and Durable Objects alike, and all of them
 * are of one class.
 */

const logged = new Set<string>();
// The runtime gives its bindings no types.
const sessions: D1DatabaseSession = Object.getPrototypeOf((env as unknown as Env).DB.withSession('first-primary'));
const { prepare } = sessions;
sessions.prepare = function (this: D1DatabaseSession, sql: string) {
  const statement = shapeOf(sql);
  if (!logged.has(statement)) {
    logged.add(statement);
    console.log(JSON.stringify({ statement }));
  }
  return prepare.call(this, sql);
};
