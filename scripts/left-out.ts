import { join } from 'node:path';
import { ROOT } from './settings.ts';

/** The library for passkeys, which is bundled without what reads attestation by manufacturers: 280 of 330 KiB. */
export const PASSKEY_LIBRARY = '@simplewebauthn/server';

/** Takes the place of modules that are left out. */
export const STAND_IN = join(ROOT, 'src', 'domain', 'passkeys', 'attestation-stand-in.ts');

/** Modules of libraries that nothing here needs: of whose imports, and their names as they are written there. */
const LEFT_OUT: [importer: string, name: RegExp][] = [
  [PASSKEY_LIBRARY, /^(@peculiar\/.+|reflect-metadata)$/],
  [PASSKEY_LIBRARY, /\/defaultRootCerts\//],
  // Self attestation is of the format "packed".
  [PASSKEY_LIBRARY, /\/verifyAttestation(?!Packed)\w+\.js$/],
  [PASSKEY_LIBRARY, /\/(\w+CertificatePath|getCertificateInfo|isCertRevoked|metadataService|verifyMDSBlob)\.js$/],
  // What draws JSX in browsers.
  ['hono/dist/jsx', /\/dom\/(render|components)\.js$/],
];

/** Whether an import in a file of a library is left out of the bundle. */
export function isLeftOut(name: string, file: string): boolean {
  return LEFT_OUT.some(([importer, pattern]) => file.includes(importer) && pattern.test(name));
}
