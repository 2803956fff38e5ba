import { retryUntilSettled } from '../../platform/transient-error.ts';
import { ALWAYS, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId } from '../write-once.ts';
import { getProcessStub, type ProcessRights } from './find-process.ts';

/**
 * Retries the failed items of a process with the same values, and returns their number; a repeated request returns the
 * number of its first run. Throws not found and forbidden.
 */
export async function retryProcess(ctx: AccountContext, id: string, rights?: ProcessRights): Promise<number> {
  const process = await getProcessStub(ctx, id, rights);
  const retryId = newId(ctx, `retry process ${id}`);
  const count = await retryUntilSettled(async () => process.retry(retryId));
  const changes = [{ field: 'items', new: count }];
  const action = { id: retryId, action: 'process.retry', target: { type: 'process', id }, changes } as const;
  await retryUntilSettled(async () => recordAction(ctx, action, ALWAYS));
  return count;
}
