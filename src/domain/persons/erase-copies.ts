import type { AccountContext } from '../context.ts';
import { eraseReplies, findRepliesWith } from '../idempotency/erase-replies.ts';
import { replyFile } from '../idempotency/idempotent-requests.ts';
import { eraseImports } from '../imports/stored-import.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { canHoldItems, eraseItems } from '../processes/erase-items.ts';
import { eraseSegmentValues } from '../search/erase-segments.ts';
import type { OwnValues } from './own-values.ts';
import { tellingOf } from './values.ts';

/** What names a person without naming a pass. */
export interface Copies {
  /** Identifiers, none of which tells anything of a person. */
  found: Record<'segments' | 'imports' | 'replies' | 'processItems', string[]>;
  /** Erases them. Returns whether a process works that may add to them. */
  erase(): Promise<{ isWorking: boolean }>;
}

/**
 * Finds texts of a person where they stand without their pass: in stored queries, files to import, kept replies, and
 * failed items of processes. `names`: what names the passes beside that. They are known before any goes, because a run
 * that takes over from one that died finds fewer.
 */
export async function findCopies(
  ctx: AccountContext,
  { texts, names, own }: { texts: string[]; names: string[]; own: OwnValues },
): Promise<Copies> {
  const isOwn = (text: string) => own.isOwn(text);
  const queries = { texts, isOwn };
  const segments = await eraseSegmentValues(ctx, queries, { dryRun: true });
  const imports = await eraseImports(ctx, tellingOf(texts), { isOwn, dryRun: true });
  const replies = await findRepliesWith(ctx, tellingOf(texts), isOwn);
  const beganBefore = Date.now();
  const values = { texts: tellingOf(texts).map(fold), ownOf: (held: string[]) => own.ownOf(held) };
  const items = { names, values, beganBefore };
  const mayHold = await canHoldItems(ctx, ctx.account.id, beganBefore);
  const held = mayHold ? await eraseItems(ctx, ctx.account.id, items, { dryRun: true }) : undefined;
  const replyNames = await Promise.all(replies.map(({ accountId, key }) => replyFile(accountId, key)));
  return {
    found: { segments, imports, replies: replyNames, processItems: held?.erased ?? [] },
    async erase() {
      if (segments.length > 0) await eraseSegmentValues(ctx, queries, { dryRun: false });
      if (imports.length > 0) await eraseImports(ctx, tellingOf(texts), { isOwn, dryRun: false });
      await eraseReplies(ctx, replies);
      const isWorking = mayHold && (await eraseItems(ctx, ctx.account.id, items)).isOpen;
      return { isWorking };
    },
  };
}
