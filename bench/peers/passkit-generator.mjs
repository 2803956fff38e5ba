import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PKPass } from 'passkit-generator';
import { serveBuilder } from '../pass-files/serve-builder.ts';

/* Builds with passkit-generator from in-memory files. */
await serveBuilder(prepare);

async function prepare(folder) {
  const read = (name) => readFileSync(join(folder, name));
  const names = readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'files').length + 1));
  const files = Object.fromEntries(names.map((name) => [name, read(join('files', name))]));
  const certificates = {
    wwdr: read('intermediate.pem'),
    signerCert: read('certificate.pem'),
    signerKey: read('private-key.pem'),
  };
  return (serialNumber) => new PKPass({ ...files }, certificates, { serialNumber }).getAsBuffer();
}
