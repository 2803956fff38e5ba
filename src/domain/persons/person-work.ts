import type { RemoveFiles } from '../passes/deletion/delete-pass.ts';
import type { PersonWork } from '../processes/person-work.ts';
import { beginErasure, eraseRange } from './erase-person.ts';
import { exportRange } from './export-person.ts';

/** What processes about persons do. `removeFiles` removes the files that are kept of passes. */
export function personWork(removeFiles: RemoveFiles): PersonWork {
  return {
    begin: async (ctx, operation, person) =>
      operation.kind === 'erase' ? beginErasure(ctx, operation, person) : undefined,
    apply: (ctx, operation, range) =>
      operation.kind === 'erase' ? eraseRange(ctx, operation, range, removeFiles) : exportRange(ctx, operation, range),
  };
}
