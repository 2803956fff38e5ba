import { join } from 'node:path';
import { ROOT } from './settings.ts';

/** The passkey library, bundled without the code for manufacturers' attestation: 280 of 330 KiB. */
export const PASSKEY_LIBRARY = '@simplewebauthn/server';

/** Replaces modules that are left out: whatever is imported from them is undefined. */
export const STAND_IN = join(ROOT, 'src', 'domain', 'passkeys', 'attestation-stand-in.ts');

/** Unneeded modules of libraries, by importing package and the name in its imports. */
const LEFT_OUT: [importer: string, name: RegExp][] = [
  [PASSKEY_LIBRARY, /^(@peculiar\/.+|reflect-metadata)$/],
  [PASSKEY_LIBRARY, /\/defaultRootCerts\//],
  // Self attestation uses the format "packed".
  [PASSKEY_LIBRARY, /\/verifyAttestation(?!Packed)\w+\.js$/],
  [PASSKEY_LIBRARY, /\/(\w+CertificatePath|getCertificateInfo|isCertRevoked|metadataService|verifyMDSBlob)\.js$/],
  // The interface for queries by relations, and a type of columns that no table has.
  ['drizzle-orm', /\/(relations|query|numeric)\.js$/],
  // Renders JSX in browsers.
  ['hono/dist/jsx', /\/dom\/(render|components)\.js$/],
];

/** Whether a library file's import is left out of the bundle. */
export function isLeftOut(name: string, file: string): boolean {
  return LEFT_OUT.some(([importer, pattern]) => file.includes(importer) && pattern.test(name));
}
