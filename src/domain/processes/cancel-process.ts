import { retryUntilSettled } from '../../platform/transient-error.ts';
import { ALWAYS, newEntryId, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { getProcessStub, type ProcessRights } from './find-process.ts';
import type { CanceledProcess } from './process-state.ts';

/**
 * Cancels a process: passes that no consumer has claimed stay as they are and leave `total`; ranges being applied are
 * finished. A process that has ended stays as it is. Throws not found and forbidden.
 */
export async function cancelProcess(ctx: AccountContext, id: string, rights?: ProcessRights): Promise<CanceledProcess> {
  const process = await getProcessStub(ctx, id, rights);
  const canceled = await process.cancel();
  const target = { type: 'process', id };
  const changes = [{ field: 'items', new: canceled.stopped }];
  const action = { id: newEntryId(ctx), action: 'process.cancel', target, changes } as const;
  // A caller who gets an error cancels again, which only adds this entry.
  await retryUntilSettled(async () => recordAction(ctx, action, ALWAYS));
  return canceled;
}
