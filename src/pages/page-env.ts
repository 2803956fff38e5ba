import type { Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';

/** What every page works with. */
export interface PageEnv {
  Bindings: Env;
  Variables: {
    /** Set by what mounts the pages. */
    ctx: Context;
    /** Pattern of the matched route, for the log line; addresses of pages are secrets, which no log may keep. */
    route: string;
  };
}
