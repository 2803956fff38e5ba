import type { KeyRights } from '../domain/api-keys/rights.ts';
import type { AccountContext, Context } from '../domain/context.ts';
import type { RequestQuotas } from '../domain/quotas/take-request.ts';
import type { Env } from '../platform/env.ts';

/** Hono's types in the API: bindings, and the variables that middleware sets for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    ctx: AccountContext;
    /** The context before the key is known. */
    baseContext: Context;
    apiKeyId: string;
    /** Scopes of the key, and the templates that it is restricted to. */
    rights: KeyRights;
    /** Request quotas of the account and its parent accounts. */
    requestQuotas: RequestQuotas;
    /** Pattern of the matched route, for the log line. */
    route: string;
    /** The body as sent, read once and within its limit; empty if there is none. */
    rawBody: string;
    /** The body of an operation that takes a file; `rawBody` is then its digest. */
    rawBytes?: Uint8Array<ArrayBuffer>;
    /** Resolves when the body has been read, if that starts before the key is known. */
    bodyReading?: Promise<void>;
    /** Rows that the route read together with the key. `readAhead` types them for the handler. */
    ahead: unknown;
  };
}
