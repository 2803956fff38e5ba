import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../settings.ts';
import { readContract } from './contract.ts';
import { generatedFiles } from './generated-files.ts';

/* Writes the files generated from test/openapi.json: the client's operations and types, and the Postman collection. */

for (const [path, text] of Object.entries(generatedFiles(readContract()))) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}
