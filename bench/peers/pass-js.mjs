import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveBuilder } from '../pass-files/serve-builder.ts';

/* Builds with @walletpass/pass-js from an in-memory template. */
await serveBuilder(prepare);

async function prepare(folder) {
  // Read when the library is loaded: the issuer named in its signatures, by default Apple's.
  process.env.APPLE_WWDR_CERT_PEM = readFileSync(join(folder, 'intermediate.pem'), 'utf8');
  const { Template } = await import('@walletpass/pass-js');
  const template = await Template.fromBuffer(readFileSync(join(folder, 'sample.pkpass')));
  template.setCertificate(readFileSync(join(folder, 'certificate.pem'), 'utf8'));
  template.setPrivateKey(readFileSync(join(folder, 'private-key.pem'), 'utf8'));
  return (serialNumber) => template.createPass({ serialNumber }).asBuffer();
}
