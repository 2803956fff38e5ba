import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Two keys as PEM. */
export interface RsaKeys {
  publicKey: string;
  privateKey: string;
}

/**
 * Creates RSA keys of 2,048 bits in a separate thread. On a busy machine this takes seconds, and connections to the
 * Worker would end unnoticed.
 */
export function newRsaKeys(): Promise<RsaKeys> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
