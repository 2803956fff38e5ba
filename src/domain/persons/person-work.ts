import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import type { PersonWork } from '../processes/process-work.ts';
import { beginErasure, eraseRange } from './erase-person.ts';
import { beginExport, exportRange } from './export-person.ts';

/** Returns the work of processes about persons. `removeFiles` removes the files of passes. */
export function personWork(removeFiles: RemoveFiles): PersonWork {
  return {
    begin: async (ctx, operation, person) =>
      operation.kind === 'erase' ? beginErasure(ctx, operation, person) : beginExport(ctx, operation, person),
    apply: (ctx, operation, range) =>
      operation.kind === 'erase' ? eraseRange(ctx, operation, range, removeFiles) : exportRange(ctx, operation, range),
  };
}
