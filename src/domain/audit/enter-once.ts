import type { AccountContext } from '../context.ts';
import { newId, writeOnce } from '../write-once.ts';
import { findEntry } from './record-action.ts';

/**
 * Runs a write whose batch also inserts the entry with `entryId`. A repeat that finds the entry skips the write, which
 * would fail or act twice. See `writeOnce`; `purpose` as in `newId`. `places` are the databases to look for the entry
 * in.
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
