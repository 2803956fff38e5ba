import type { AccountContext } from '../context.ts';
import { newId, writeOnce } from '../write-once.ts';
import { findEntry } from './record-action.ts';

/**
 * Runs a write whose batch keeps an entry of the identifier that it gets: a repeat that finds the entry is done, where
 * the write itself would find nothing left to do, or do it twice. See `writeOnce`; `purpose` as in `newId`.
 */
export async function enterOnce(
  ctx: AccountContext,
  purpose: string,
  write: (entryId: string) => Promise<void>,
): Promise<void> {
  const entryId = newId(ctx, purpose);
  const find = () => findEntry(ctx, entryId);
  await writeOnce(ctx, find, async () => {
    await write(entryId);
    return entryId;
  });
}
