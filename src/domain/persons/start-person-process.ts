import type { AccountContext } from '../context.ts';
import type { PersonOperation } from '../processes/process-state.ts';
import { type StartedProcess, startProcess } from '../processes/start-process.ts';
import { checkMatch } from '../search/persons.ts';
import { ERASED_AT_ONCE } from './erase-person.ts';

/**
 * Starts a process that exports or erases the passes of a person, with all data about them. Throws `invalid` for a
 * property that no template has.
 */
export async function startPersonProcess(ctx: AccountContext, operation: PersonOperation): Promise<StartedProcess> {
  await checkMatch(ctx, operation.match);
  return startProcess(ctx, { operation, items: [], rangeItemsMax: ERASED_AT_ONCE });
}
