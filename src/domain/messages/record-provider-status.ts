import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import { shardOf, UUID_PATTERN } from '../../platform/ids.ts';
import { actForAccount } from '../accounts/find-account.ts';
import { commit } from '../commit.ts';
import { type Context, refuseElsewhere } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { notFound } from '../errors.ts';
import { recordEvent } from '../events/record-event.ts';
import { messageEvent } from './message-attempts.ts';
import { type Message, type MessageStatus, messages } from './table.ts';

/** A status that a provider reports after it has accepted a message. */
export interface ProviderStatus {
  status: 'sent' | 'delivered' | 'failed';
  providerId: string;
  /** Reason of the failure. */
  details?: string;
}

/** Statuses before a provider is known to have the message. */
const OPEN_STATUSES: MessageStatus[] = ['queued', 'waiting', 'sending'];
/** Previous statuses from which each status is progress: provider callbacks may repeat or arrive out of order. */
const PREVIOUS_STATUSES: Record<ProviderStatus['status'], MessageStatus[]> = {
  sent: OPEN_STATUSES,
  delivered: [...OPEN_STATUSES, 'sent'],
  failed: [...OPEN_STATUSES, 'sent'],
};

/**
 * Records a provider's status of a message, with its event in the same batch; a late or repeated status changes
 * nothing. It also settles an attempt that never finished, so the message isn't sent again. Throws not found.
 */
export async function recordProviderStatus(
  ctx: Context,
  messageId: string,
  { status, providerId, details }: ProviderStatus,
): Promise<void> {
  const find = async (home: Context) => {
    const [message] = await home.db.select().from(messages).where(eq(messages.id, messageId));
    if (message) refuseElsewhere(home, message.accountId);
    return message && { message, home };
  };
  const found = UUID_PATTERN.test(messageId) ? await findInShard(ctx, { shard: shardOf(messageId) }, find) : undefined;
  if (!found) throw notFound();
  await record(found.home, found.message, { status, providerId, details });
}

async function record(ctx: Context, message: Message, { status, providerId, details }: ProviderStatus): Promise<void> {
  if (!PREVIOUS_STATUSES[status].includes(message.status) || isOfEarlierSending(message, status, providerId)) return;
  const acting = await actForAccount(ctx, message.accountId);
  const submittedAt = message.submittedAt ?? Date.now();
  const after: Message = { ...message, status, providerId, submittedAt, statusDetails: details ?? null, dueAt: null };
  const eventType = status === 'failed' ? 'message_failed' : 'message_sent';
  // `message_sent` is recorded once, by the first to know.
  const news = status === 'failed' ? PREVIOUS_STATUSES.failed : OPEN_STATUSES;
  await commit(ctx, [
    recordEvent(acting, { ...messageEvent(acting, eventType, after), condition: isIn(message, news) }),
    ctx.db
      .update(messages)
      .set({ status, providerId, submittedAt, statusDetails: after.statusDetails, dueAt: null })
      .where(and(isMessage(message), inArray(messages.status, PREVIOUS_STATUSES[status]))),
  ]);
}

/**
 * Whether a status is about an earlier sending of a message that was sent again. Until the provider accepts the new
 * sending, the row has the provider's identifier of the failed one; afterwards, that of the new one.
 */
function isOfEarlierSending({ status, providerId }: Message, reported: ProviderStatus['status'], id: string): boolean {
  if (providerId === null) return false;
  return OPEN_STATUSES.includes(status) ? providerId === id : reported === 'failed' && providerId !== id;
}

function isIn(message: Message, states: MessageStatus[]): SQL {
  return sql`exists (select 1 from ${messages} where ${and(isMessage(message), inArray(messages.status, states))})`;
}

function isMessage({ id, accountId }: Message): SQL {
  return and(eq(messages.id, id), eq(messages.accountId, accountId))!;
}
