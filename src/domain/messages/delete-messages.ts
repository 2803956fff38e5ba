import { and, eq, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { firstUuidAt } from '../../platform/ids.ts';
import type { AccountContext, Context } from '../context.ts';
import { purge } from '../purge.ts';
import { messages } from './table.ts';

/** Days for which the results of messages are kept: recipients are personal data. */
export const MESSAGE_RETENTION_DAYS = 90;

const DAY_MS = 24 * 60 * 60_000;

/** Builds the statement that deletes the messages of passes, sent or not; `passIds` is a subquery in parentheses. */
export function deleteMessagesOf(ctx: AccountContext, passIds: SQL, condition: SQL) {
  return ctx.db
    .delete(messages)
    .where(and(sql`${messages.passId} in ${passIds} and +${messages.accountId} = ${ctx.account.id}`, condition));
}

/** Cron task: deletes old finished messages. Identifiers ascend with time, so it needs no index of times. */
export async function purgeMessages(ctx: Context): Promise<void> {
  const before = firstUuidAt(Date.now() - MESSAGE_RETENTION_DAYS * DAY_MS);
  await purge(ctx, messages, and(lt(messages.id, before), isNull(messages.dueAt))!);
}

/** Deletes finished messages of an account from before a time (UTC milliseconds), page by page. */
export async function purgeMessagesOf(ctx: AccountContext, before: number): Promise<void> {
  const { accountId, id, dueAt } = messages;
  await purge(ctx, messages, and(eq(accountId, ctx.account.id), lt(id, firstUuidAt(before)), isNull(dueAt))!);
}
