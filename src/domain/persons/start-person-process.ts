import type { AccountContext } from '../context.ts';
import type { PersonOperation } from '../processes/process-state.ts';
import { type StartedProcess, startProcess } from '../processes/start-process.ts';
import { checkMatch } from '../search/persons.ts';

/** Passes per range: their batch is about as large as that of a range of a bulk update. */
const PASSES_PER_RANGE = 50;

/**
 * Starts a process that exports or erases the passes of a person, with all data about them. Throws `invalid` for a
 * property that no template has.
 */
export async function startPersonProcess(ctx: AccountContext, operation: PersonOperation): Promise<StartedProcess> {
  await checkMatch(ctx, operation.match);
  return startProcess(ctx, { operation, items: [], rangeItemsMax: PASSES_PER_RANGE });
}
