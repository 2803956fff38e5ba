import type { KeyRights } from '../domain/api-keys/rights.ts';
import type { AccountContext, Context } from '../domain/context.ts';
import type { RequestQuotas } from '../domain/quotas/take-request.ts';
import type { Env } from '../platform/env.ts';

/** Hono's types in the API: bindings, and what the middleware leaves for handlers. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    ctx: AccountContext;
    /** The context before the key is known. */
    baseContext: Context;
    apiKeyId: string;
    /** Scopes of the key, and the templates that it is restricted to. */
    rights: KeyRights;
    /** Quotas of requests that were set for the account and those above it. */
    requestQuotas: RequestQuotas;
    /** Pattern of the matched route, for the log line. */
    route: string;
    /** Body as it was sent, read once within its limit; empty when there is none. */
    rawBody: string;
    /** The body of an operation that takes a file; `rawBody` is then its digest. */
    rawBytes?: Uint8Array<ArrayBuffer>;
    /** The reading of the body, where it begins before the key is known. */
    bodyReading?: Promise<void>;
    /** The rows that the route has read with the key; `readAhead` types them for the handler. */
    ahead: unknown;
  };
}
