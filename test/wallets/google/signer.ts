import { exportPKCS8, generateKeyPair } from 'jose';
import type { Env } from '../../../src/platform/env.ts';
import { endpointsOf } from '../../../src/wallets/google/call-google.ts';
import { type GoogleSigner, loadGoogleSigner } from '../../../src/wallets/google/signer.ts';

export const ISSUER_ID = '3388000000022334455';
export const BASE_URL = 'https://wallet.example';

let count = 0;

/** Creates a service account with a new key, row and email address, and the public key to verify it. */
export async function sampleSigner(): Promise<{ signer: GoogleSigner; publicKey: CryptoKey }> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const signer = await loadGoogleSigner({
    id: crypto.randomUUID(),
    issuerId: ISSUER_ID,
    clientEmail: `wallet-${++count}@project.iam.gserviceaccount.com`,
    privateKeyPem: await exportPKCS8(privateKey),
    development: false,
    endpoints: endpointsOf({} as Env, undefined),
  });
  return { signer, publicKey };
}

/** Parsed JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: expectations check what they reach for
export type Json = any;
