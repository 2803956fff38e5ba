import type { Contract } from './contract.ts';
import { contractTypes, operationTable } from './contract-types.ts';
import { postmanCollection } from './postman.ts';

/** Generates texts by path from the contract. */
export function generatedFiles(contract: Contract): Record<string, string> {
  return {
    'client/src/generated/operations.ts': operationTable(contract),
    'client/src/generated/types.ts': contractTypes(contract),
    'examples/postman.json': `${JSON.stringify(postmanCollection(contract), null, 2)}\n`,
  };
}
