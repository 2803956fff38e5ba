import type { Env } from '../../platform/env.ts';

/** Where Google answers. */
export interface GoogleEndpoints {
  /** Gives access tokens. */
  tokenUrl: string;
  /** The Wallet REST API. */
  apiUrl: string;
  /** The public keys above those that sign callbacks. */
  rootKeysUrl: string;
}

const GOOGLE: GoogleEndpoints = {
  tokenUrl: 'https://oauth2.googleapis.com/token',
  apiUrl: 'https://walletobjects.googleapis.com/walletobjects/v1',
  rootKeysUrl: 'https://pay.google.com/gp/m/issuer/keys',
};

/** Google, or in a local service the stand-in that was imported with the issuer; a deployment never has ADMIN_TOKEN and asks nobody but Google. */
export function endpointsOf(env: Env, issuer: { standInUrl: string | null } | undefined): GoogleEndpoints {
  const origin = env.ADMIN_TOKEN ? issuer?.standInUrl : undefined;
  if (!origin) return GOOGLE;
  return {
    tokenUrl: `${origin}/token`,
    apiUrl: `${origin}/walletobjects/v1`,
    rootKeysUrl: `${origin}/gp/m/issuer/keys`,
  };
}
