import { untilSettled } from '../../platform/with-retries.ts';
import { ALWAYS, newEntryId, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { getProcessStub } from './find-process.ts';

/** Runs the failed items of a process again, with the same values, and returns how many they are. Throws not found. */
export async function retryProcess(ctx: AccountContext, id: string): Promise<number> {
  const process = await getProcessStub(ctx, id);
  const count = await process.retry();
  const changes = [{ field: 'items', new: count }];
  const action = { id: newEntryId(ctx), action: 'process.retry', target: { type: 'process', id }, changes } as const;
  // Asked again, the object would have nothing left to retry.
  await untilSettled(async () => recordAction(ctx, action, ALWAYS));
  return count;
}
