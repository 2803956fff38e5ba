import type { AdminArguments } from './admin-arguments.ts';
import { type CertificateOptions, readCertificateFiles, readFile } from './certificate-files.ts';
import { Problem } from './settings.ts';

/** The relay reads its token from here, too, because other users can see command lines. */
const RELAY_TOKEN_VARIABLE = 'APNS_RELAY_TOKEN';

type Options = AdminArguments['options'];

/** Converts options for the administration entry: options that name files are replaced by the files' contents. */
export function toCommandOptions(command: string, options: Options): Record<string, unknown> {
  if (command === 'certificate import') {
    const { p12, cert, key, intermediate, password, ...others } = options;
    return { ...others, ...readCertificateFiles({ p12, cert, key, intermediate, password } as CertificateOptions) };
  }
  if (command === 'certificate push') {
    const { p8, ...others } = options;
    const relayToken = others['relay-url'] && !others['relay-token'] ? process.env[RELAY_TOKEN_VARIABLE] : undefined;
    return {
      ...others,
      ...(typeof p8 === 'string' && { p8: readFile(p8).toString() }),
      ...(relayToken && { 'relay-token': relayToken }),
    };
  }
  if (command === 'google-issuer import') {
    const { 'issuer-id': issuerId, 'service-account': file, 'stand-in-url': standInUrl, ...others } = options;
    if (typeof file !== 'string') throw new Problem('Give the service account’s key file with --service-account F.');
    return { ...others, issuerId, ...(standInUrl && { standInUrl }), ...readServiceAccount(file) };
  }
  return options;
}

/** Reads the two values that signing needs from a Google service account's key file. */
function readServiceAccount(file: string): { clientEmail?: string; privateKeyPem?: string } {
  try {
    const { client_email, private_key } = JSON.parse(readFile(file).toString());
    return { clientEmail: client_email, privateKeyPem: private_key };
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${file} is not the JSON key file of a service account.`);
  }
}
