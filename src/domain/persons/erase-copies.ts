import type { AccountContext } from '../context.ts';
import { eraseRepliesWith } from '../idempotency/erase-replies.ts';
import { eraseImports } from '../imports/stored-import.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { eraseItems, mayHoldItems } from '../processes/erase-items.ts';
import { eraseSegmentValues } from '../search/erase-segments.ts';
import type { OwnValues } from './own-values.ts';
import { tellingOf } from './values.ts';

/** What was erased of what names no pass, and whether a process works that may add to it. */
export interface ErasedCopies {
  counts: { segments: number; imports: number; replies: number; processItems: number };
  isWorking: boolean;
}

/**
 * Erases texts of a person where they stand without their pass: in stored queries, files to import, kept replies, and
 * failed items of processes. `names`: what names the passes beside that. With `dryRun` it counts what it can without
 * erasing: queries and files.
 */
export async function eraseCopies(
  ctx: AccountContext,
  { texts, names, own, dryRun }: { texts: string[]; names: string[]; own: OwnValues; dryRun: boolean },
): Promise<ErasedCopies> {
  const isOwn = (text: string) => own.isOwn(text);
  const segments = await eraseSegmentValues(ctx, { texts, isOwn }, { dryRun });
  const imports = await eraseImports(ctx, tellingOf(texts), { isOwn, dryRun });
  if (dryRun) return { counts: { segments, imports, replies: 0, processItems: 0 }, isWorking: false };
  const replies = await eraseRepliesWith(ctx, tellingOf(texts), isOwn);
  const beganBefore = Date.now();
  const mayHold = await mayHoldItems(ctx, ctx.account.id, beganBefore);
  if (!mayHold) return { counts: { segments, imports, replies, processItems: 0 }, isWorking: false };
  const values = { texts: tellingOf(texts).map(fold), ownOf: (held: string[]) => own.ownOf(held) };
  const { erased, isOpen } = await eraseItems(ctx, ctx.account.id, { names, values, beganBefore });
  return { counts: { segments, imports, replies, processItems: erased }, isWorking: isOpen };
}
