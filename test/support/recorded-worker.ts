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

/*
 * It also keeps the counts of its rate limiters in memory, as the deployed binding does. Miniflare writes them to
 * SQLite, which takes as long as another statement or two in each request. Periods begin with the clock, as there.
 */

interface RateLimiterBinding {
  limitVal: number;
  /** In seconds. */
  period: number;
  limit(options: { key: string }): Promise<RateLimitOutcome>;
}

interface Counts {
  periodNumber: number;
  byKey: Map<string, number>;
}

const counts = new WeakMap<RateLimiterBinding, Counts>();
const limiters: RateLimiterBinding = Object.getPrototypeOf((env as unknown as Env).RATE_LIMITER);
limiters.limit = async function (this: RateLimiterBinding, { key }: { key: string }) {
  const periodNumber = Math.floor(Date.now() / (this.period * 1_000));
  const known = counts.get(this);
  const { byKey } = known?.periodNumber === periodNumber ? known : { byKey: new Map<string, number>() };
  counts.set(this, { periodNumber, byKey });
  const count = (byKey.get(key) ?? 0) + 1;
  byKey.set(key, count);
  return { success: count <= this.limitVal };
};
