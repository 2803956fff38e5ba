import { findStandIn } from '../../domain/certificates/find-google-issuer.ts';
import type { Context } from '../../domain/context.ts';
import type { Env } from '../../platform/env.ts';

/** Addresses of Google's API. */
export interface GoogleEndpoints {
  tokenUrl: string;
  apiUrl: string;
  /** The public keys above those that sign callbacks. */
  rootKeysUrl: string;
}

const GOOGLE: GoogleEndpoints = {
  tokenUrl: 'https://oauth2.googleapis.com/token',
  apiUrl: 'https://walletobjects.googleapis.com/walletobjects/v1',
  rootKeysUrl: 'https://pay.google.com/gp/m/issuer/keys',
};

/** Google, or the stand-in imported with the issuer; a deployment never has ADMIN_TOKEN and asks Google only. */
export function endpointsOf(env: Env, issuer: { standInUrl: string | null } | undefined): GoogleEndpoints {
  const origin = env.ADMIN_TOKEN ? issuer?.standInUrl : undefined;
  if (!origin) return GOOGLE;
  return {
    tokenUrl: `${origin}/token`,
    apiUrl: `${origin}/walletobjects/v1`,
    rootKeysUrl: `${origin}/gp/m/issuer/keys`,
  };
}

/** Origins of stand-ins by the number of their issuer, for the life of a local service's isolate. */
const standIns = new Map<string, string>();

/** The same for the number of an issuer, whose row only a local service has to look up. */
export async function endpointsOfIssuer(ctx: Context, issuerId: string): Promise<GoogleEndpoints> {
  if (!ctx.env.ADMIN_TOKEN) return GOOGLE;
  const standInUrl = standIns.get(issuerId) ?? (await findStandIn(ctx, issuerId)) ?? null;
  if (standInUrl) standIns.set(issuerId, standInUrl);
  return endpointsOf(ctx.env, { standInUrl });
}
