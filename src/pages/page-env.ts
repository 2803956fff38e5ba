import type { Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';

/** Environment of all pages. */
export interface PageEnv {
  Bindings: Env;
  Variables: {
    /** Set where the pages are mounted. */
    ctx: Context;
    /** Pattern of the matched route, for the log line. Page addresses are secrets, so they must not be logged. */
    route: string;
  };
}
