import type { AccountContext, Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';

/** Hono's types in the API: bindings, and what the middleware leaves for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    ctx: AccountContext;
    /** The context before the key is known. */
    baseContext: Context;
    apiKeyId: string;
    /** Pattern of the matched route, for the log line. */
    route: string;
    /** Body as it was sent, read once within its limit; empty when there is none. */
    rawBody: string;
  };
}
