import { untilSettled } from '../../platform/with-retries.ts';
import { ALWAYS, newEntryId, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { getProcessStub } from './find-process.ts';
import type { ProcessState } from './process-state.ts';

/**
 * Cancels what has not started: passes that no consumer has taken up stay as they are and leave `total`; what is being
 * applied is finished. Cancelling a process that has ended changes nothing. Throws not found.
 */
export async function cancelProcess(ctx: AccountContext, id: string): Promise<ProcessState> {
  const process = await getProcessStub(ctx, id);
  const state = await process.cancel();
  const action = { id: newEntryId(ctx), action: 'process.cancel', target: { type: 'process', id } } as const;
  // A caller who gets a failure here cancels once more, which changes nothing but this entry.
  await untilSettled(async () => recordAction(ctx, action, ALWAYS));
  return state;
}
