import { and, eq, sql } from 'drizzle-orm';
import { randomToken } from '../../platform/ids.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { countMessages, messagesLeft } from '../quotas/use.ts';
import { getMessage } from './list-messages.ts';
import { ENQUEUE_MS_MAX, messageJobs } from './request-messages.ts';
import { messages } from './table.ts';

/**
 * Sends a failed message again to the same recipient, with current texts; it counts for the quota. Only one of
 * simultaneous calls takes effect. Attempt numbers continue, so that an earlier attempt can't report for the new one.
 * Throws not found, and `conflict` for a message that hasn't failed.
 */
export async function resendMessage(ctx: AccountContext, id: string): Promise<void> {
  // Distinguishes the statements of this call from those of a concurrent one, which finds no failed message.
  const token = randomToken();
  const isMine = and(eq(messages.id, id), eq(messages.accountId, ctx.account.id), eq(messages.statusDetails, token))!;
  const isOverQuota = sql`${messagesLeft(ctx)} < 1`;
  const statementsWith = (entryId: string) =>
    [
      ctx.db
        .update(messages)
        .set({
          status: 'queued',
          statusDetails: token,
          submittedAt: null,
          dueAt: Date.now() + ENQUEUE_MS_MAX,
          isOverQuota,
        })
        .where(and(eq(messages.id, id), eq(messages.accountId, ctx.account.id), eq(messages.status, 'failed')))
        .returning({ id: messages.id }),
      countMessages(ctx, sql`select count(*) from ${messages} where ${isMine} and not ${messages.isOverQuota}`),
      ctx.db.update(messages).set({ statusDetails: null }).where(isMine),
      recordAction(ctx, { id: entryId, action: 'message.send_again', target: { type: 'message', id } }),
    ] as const;
  await enterOnce(ctx, `send message ${id} again`, async (entryId) => {
    const [again] = await commit(ctx, statementsWith(entryId), ([queued]) => messageJobs(ctx.account.id, queued));
    if (again.length > 0) return;
    await getMessage(ctx, id);
    throw new DomainError('conflict', 'Only failed messages can be sent again');
  });
}
