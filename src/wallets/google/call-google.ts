import { findStandIn } from '../../domain/certificates/find-google-issuer.ts';
import type { Context } from '../../domain/context.ts';
import type { Env } from '../../platform/env.ts';

const TIMEOUT_MS = 8_000;

/** A call to an API of Google. */
export interface HttpCall {
  url: string;
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a client of the Google Wallet API makes its calls. */
export interface GoogleCalls {
  /** Makes a call to the API, perhaps with others in a batch. Rejects with network errors and timeouts. */
  call(call: HttpCall): Promise<Response>;
  /** Makes a call on its own, for example to another host. Rejects with network errors and timeouts. */
  callAlone(call: HttpCall): Promise<Response>;
  /** Does `work`, or waits for another job that is doing the work with this name. */
  once<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Makes a call. Doesn't follow redirects, so that only Google gets the token. Rejects with network errors, and if the
 * reply takes longer than `timeoutMs`.
 */
export function callGoogle(
  { url, ...init }: HttpCall,
  send: typeof fetch = (input, options) => globalThis.fetch(input, options),
  timeoutMs = TIMEOUT_MS,
): Promise<Response> {
  return send(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
}

/** Makes each call on its own. */
export function separateCalls(send?: typeof fetch): GoogleCalls {
  const call = (one: HttpCall) => callGoogle(one, send);
  return { call, callAlone: call, once: (_, work) => work() };
}

/** URLs of Google's API. */
export interface GoogleEndpoints {
  tokenUrl: string;
  apiUrl: string;
  /** Root keys, which sign the keys that sign callbacks. */
  rootKeysUrl: string;
}

const GOOGLE: GoogleEndpoints = {
  tokenUrl: 'https://oauth2.googleapis.com/token',
  apiUrl: 'https://walletobjects.googleapis.com/walletobjects/v1',
  rootKeysUrl: 'https://pay.google.com/gp/m/issuer/keys',
};

/**
 * Returns Google's endpoints, or those of the stand-in imported with the issuer. A deployment never has ADMIN_TOKEN, so
 * it always uses Google.
 */
export function endpointsOf(env: Env, issuer: { standInUrl: string | null } | undefined): GoogleEndpoints {
  const origin = env.ADMIN_TOKEN ? issuer?.standInUrl : undefined;
  if (!origin) return GOOGLE;
  return {
    tokenUrl: `${origin}/token`,
    apiUrl: `${origin}/walletobjects/v1`,
    rootKeysUrl: `${origin}/gp/m/issuer/keys`,
  };
}

/** Origins of stand-ins by issuer ID, cached in the isolate of a local service. */
const standIns = new Map<string, string>();

/** Returns the endpoints for an issuer ID. Only a local service needs to look up the issuer's row. */
export async function endpointsOfIssuer(ctx: Context, issuerId: string): Promise<GoogleEndpoints> {
  if (!ctx.env.ADMIN_TOKEN) return GOOGLE;
  const standInUrl = standIns.get(issuerId) ?? (await findStandIn(ctx, issuerId)) ?? null;
  if (standInUrl) standIns.set(issuerId, standInUrl);
  return endpointsOf(ctx.env, { standInUrl });
}
