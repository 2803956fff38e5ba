import { and, eq, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import type { AccountContext, Context } from '../context.ts';
import { purge } from '../purge.ts';
import { messages } from './table.ts';

/** Recipients are personal data: what became of a message is kept for this long. */
export const MESSAGE_RETENTION_DAYS = 90;

const DAY_MS = 24 * 60 * 60_000;

/** The statement that deletes the messages of passes, sent or not; `passIds` is a subquery in parentheses. */
export function deleteMessagesOf(ctx: AccountContext, passIds: SQL, condition: SQL) {
  return ctx.db
    .delete(messages)
    .where(and(sql`${messages.passId} in ${passIds} and +${messages.accountId} = ${ctx.account.id}`, condition));
}

/** Cron task: deletes what became of messages long ago. Identifiers rise with time, so no index of times is needed. */
export async function purgeMessages(ctx: Context): Promise<void> {
  const before = firstUuidAt(Date.now() - MESSAGE_RETENTION_DAYS * DAY_MS);
  await purge(ctx, messages, and(lt(messages.id, before), isNull(messages.dueAt))!);
}

/** Deletes what became of messages of an account from before a time (UTC milliseconds), page by page. */
export async function purgeMessagesOf(ctx: AccountContext, before: number): Promise<void> {
  const { accountId, id, dueAt } = messages;
  await purge(ctx, messages, and(eq(accountId, ctx.account.id), lt(id, firstUuidAt(before)), isNull(dueAt))!);
}
