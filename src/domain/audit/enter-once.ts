import type { AccountContext } from '../context.ts';
import { newId, writeOnce } from '../write-once.ts';
import { findEntry } from './record-action.ts';

/**
 * Runs a write whose batch keeps an entry of the identifier that it gets: a repeat that finds the entry is done, where
 * the write itself would find nothing left to do, or do it twice. See `writeOnce`; `purpose` as in `newId`. `places`:
 * where the entry may be, if not in the database of the account alone.
 */
export async function enterOnce(
  ctx: AccountContext,
  purpose: string,
  write: (entryId: string) => Promise<void>,
  places: AccountContext[] = [ctx],
): Promise<void> {
  const entryId = newId(ctx, purpose);
  const find = async () => {
    for (const place of places) {
      const found = await findEntry(place, entryId);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  await writeOnce(ctx, find, async () => {
    await write(entryId);
    return entryId;
  });
}
