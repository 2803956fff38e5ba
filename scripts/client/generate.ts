import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../settings.ts';
import { readContract } from './contract.ts';
import { generatedFiles } from './contract-types.ts';

/* Writes what is generated from test/openapi.json: the client's operations and types, and the Postman collection. */

const FOLDER = join(ROOT, 'client', 'src', 'generated');

const contract = readContract();
mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of Object.entries(generatedFiles(contract))) writeFileSync(join(FOLDER, name), text);
