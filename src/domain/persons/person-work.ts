import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import type { PersonWork } from '../processes/process-work.ts';

// Loaded on demand: few jobs are about persons.
const erasures = () => import('./erase-person.ts');
const exports = () => import('./export-person.ts');

/** Returns the work of processes about persons. `removeFiles` removes the files of passes. */
export function personWork(removeFiles: RemoveFiles): PersonWork {
  return {
    begin: async (ctx, operation, person) =>
      operation.kind === 'erase'
        ? (await erasures()).beginErasure(ctx, operation, person)
        : (await exports()).beginExport(ctx, operation, person),
    apply: async (ctx, operation, range) =>
      operation.kind === 'erase'
        ? (await erasures()).eraseRange(ctx, operation, range, removeFiles)
        : (await exports()).exportRange(ctx, operation, range),
  };
}
