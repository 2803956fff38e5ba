import type { Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';

/** What every page works with; the middleware in front of the pages sets `ctx`. */
export interface PageEnv {
  Bindings: Env;
  Variables: { ctx: Context };
}
