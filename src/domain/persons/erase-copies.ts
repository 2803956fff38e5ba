import { inArray, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import type { AccountContext } from '../context.ts';
import { aboutMessages, eraseEvents } from '../events/erase-events.ts';
import { eraseReplies, findRepliesWith } from '../idempotency/erase-replies.ts';
import { replyFile } from '../idempotency/idempotent-requests.ts';
import { eraseImports } from '../imports/stored-import.ts';
import { deleteMessagesOf } from '../messages/delete-messages.ts';
import { type Message, messages } from '../messages/table.ts';
import { fold } from '../passes/search-index/search-terms.ts';
import { canHoldItems, eraseItems } from '../processes/erase-items.ts';
import { eraseSegmentValues } from '../search/erase-segments.ts';
import { eraseAnswersTo } from '../webhooks/erase-deliveries.ts';
import type { OwnValues } from './own-values.ts';
import { selectIdentifying } from './values.ts';

/** Messages per batch; D1 binds a hundred parameters. */
const PAGE_MESSAGES = 50;

/** Data of a person in rows that name no pass. */
export interface Copies {
  /** Identifiers, which hold no personal data. */
  found: Record<'segments' | 'imports' | 'replies' | 'processItems', string[]>;
  /** Erases the copies. Returns whether a running process may add more. */
  erase(): Promise<{ isWorking: boolean }>;
}

/**
 * Finds texts of a person outside of passes: in stored queries, files to import, kept replies, and failed items of
 * processes. `names`: other names of the passes. All are found before any is erased, because a run that takes over from
 * a dead one finds fewer.
 */
export async function findCopies(
  ctx: AccountContext,
  { texts, names, own }: { texts: string[]; names: string[]; own: OwnValues },
): Promise<Copies> {
  const isOwn = (text: string) => own.isOwn(text);
  const queries = { texts, isOwn };
  const segments = await eraseSegmentValues(ctx, queries, { dryRun: true });
  const imports = await eraseImports(ctx, selectIdentifying(texts), { isOwn, dryRun: true });
  const replies = await findRepliesWith(ctx, selectIdentifying(texts), isOwn);
  const beganBefore = Date.now();
  const values = { texts: selectIdentifying(texts).map(fold), ownOf: (held: string[]) => own.ownOf(held) };
  const items = { names, values, beganBefore };
  const canHold = await canHoldItems(ctx, ctx.account.id, beganBefore);
  const held = canHold ? await eraseItems(ctx, ctx.account.id, items, { dryRun: true }) : undefined;
  const replyNames = await Promise.all(replies.map(({ accountId, key }) => replyFile(accountId, key)));
  return {
    found: { segments, imports, replies: replyNames, processItems: held?.erased ?? [] },
    async erase() {
      if (segments.length > 0) await eraseSegmentValues(ctx, queries, { dryRun: false });
      if (imports.length > 0) await eraseImports(ctx, selectIdentifying(texts), { isOwn, dryRun: false });
      await eraseReplies(ctx, replies);
      const isWorking = canHold && (await eraseItems(ctx, ctx.account.id, items)).isOpen;
      return { isWorking };
    },
  };
}

/** Deletes messages, and erases the values in their events. The passes stay. May run twice. */
export async function eraseMessages(ctx: AccountContext, found: Message[]): Promise<void> {
  for (const some of slicesOf(found, PAGE_MESSAGES)) {
    const about = aboutMessages(some);
    await eraseAnswersTo(ctx, about, { areAll: true });
    await eraseEvents(ctx, about, { stays: () => sql`false` });
    const passIds = sql`(select value from json_each(${JSON.stringify(some.map(({ passId }) => passId))}))`;
    const isFound = inArray(
      messages.id,
      some.map(({ id }) => id),
    );
    await deleteMessagesOf(ctx, passIds, isFound);
  }
}
