import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Two keys as PEM. */
export interface RsaKeys {
  publicKey: string;
  privateKey: string;
}

/**
 * New RSA keys of 2,048 bits, made in a thread of their own: on a busy machine it takes seconds, in which connections
 * to the Worker would end unseen.
 */
export function newRsaKeys(): Promise<RsaKeys> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
