import { and, desc, eq, getTableColumns, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { randomToken, UUID_PATTERN } from '../../platform/ids.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import { commit } from '../commit.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import { passes } from '../passes/table.ts';
import { countMessages, messagesLeft } from '../quotas/use.ts';
import { templates } from '../templates/table.ts';
import { ENQUEUE_MS_MAX, messageJobs } from './request-messages.ts';
import { type Message, type MessageChannel, type MessageKind, type MessageStatus, messages } from './table.ts';

/** Maximum number of messages that one call reads: rare matches take several calls of the same cost. */
const LOOKED_AT_MAX = 1_000;

/** States in the console; `open` messages are on their way to a provider. */
type MessageState = 'open' | 'sent' | 'delivered' | 'failed';

const STATUSES: Record<MessageState, MessageStatus[]> = {
  open: ['queued', 'waiting', 'sending'],
  sent: ['sent'],
  delivered: ['delivered'],
  failed: ['failed'],
};

export interface MessageFilter {
  channel?: MessageChannel;
  kind?: MessageKind;
  state?: MessageState;
}

export interface MessagePage {
  messages: Message[];
  /** Identifier after which the next call starts; absent at the end. */
  next?: string;
}

/**
 * Returns the account's messages that match, newest first. A page may hold fewer than `limit`, even none, and still
 * have a next one. One round trip.
 */
export async function listMessages(
  ctx: AccountContext,
  { channel, kind, state }: MessageFilter,
  { limit, beforeId }: { limit: number; beforeId?: string },
): Promise<MessagePage> {
  const looked = and(
    eq(messages.accountId, ctx.account.id),
    beforeId === undefined ? undefined : lt(messages.id, beforeId),
    // Repeats the condition of the index of failed messages, so that it is used.
    state === 'failed' ? sql`${messages.status} = 'failed'` : undefined,
  );
  const recent = sql`(select ${messages.id} from ${messages} where ${looked} order by ${messages.id} desc limit ${LOOKED_AT_MAX})`;
  const [found, [edge]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(messages)
      .where(and(sql`${messages.id} in ${recent}`, matches({ channel, kind, state })))
      .orderBy(desc(messages.id))
      .limit(limit + 1),
    ctx.db.select({ last: sql<string | null>`min(id)`, count: sql<number>`count(*)` }).from(sql`${recent}`),
  ]);
  const page = found.slice(0, limit);
  if (found.length > limit) return { messages: page, next: page.at(-1)!.id };
  return { messages: page, next: edge && edge.count === LOOKED_AT_MAX ? (edge.last ?? undefined) : undefined };
}

function matches({ channel, kind, state }: MessageFilter): SQL | undefined {
  return and(
    channel && eq(messages.channel, channel),
    kind && eq(messages.kind, kind),
    state && inArray(messages.status, STATUSES[state]),
  );
}

export interface ShownMessage extends Message {
  /** Null: the template is deleted. */
  templateName: string | null;
  passName: string | null;
}

/** Returns a message with the names of its template and pass. One round trip; throws not found. */
export async function getMessage(ctx: AccountContext, id: string): Promise<ShownMessage> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [message] = await ctx.db
    .select({
      ...getTableColumns(messages),
      templateName: templates.name,
      passName: sql<string | null>`coalesce(${passes.userProvidedId}, ${passes.generatedId})`,
    })
    .from(messages)
    .leftJoin(templates, eq(templates.id, messages.templateId))
    .leftJoin(passes, eq(passes.id, messages.passId))
    .where(and(eq(messages.id, id), eq(messages.accountId, ctx.account.id)));
  if (!message) throw notFound();
  return message;
}

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
