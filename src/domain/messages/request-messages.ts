import { type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import type { Job } from '../jobs.ts';
import type { Pass } from '../passes/table.ts';
import { countMessages, messagesLeft } from '../quotas/use.ts';
import type { StoredDefinition } from '../templates/definition.ts';
import { newId } from '../write-once.ts';
import { type Message, messages } from './table.ts';

/** A message to send. */
export type NewMessage = Pick<Message, 'id' | 'passId' | 'templateId' | 'channel' | 'kind' | 'recipient'>;

type PassRecipients = Pick<Pass, 'id' | 'templateId' | 'emailRecipient' | 'phoneRecipient'>;

/** Time limit for a job to claim a message; after it, the cron considers the job lost and enqueues another. */
export const ENQUEUE_MS_MAX = 2 * 60_000;

/** Creates a message about a pass, with its own identifier. */
export function newMessage(
  ctx: AccountContext,
  pass: Pick<Pass, 'id' | 'templateId'>,
  message: Pick<NewMessage, 'channel' | 'kind' | 'recipient'>,
): NewMessage {
  const id = newId(ctx, `message ${pass.id} ${message.channel} ${message.kind}`);
  return { id, passId: pass.id, templateId: pass.templateId, ...message };
}

/**
 * Returns the messages to send when a pass is written: one per recipient that its previous state `before` didn't have,
 * on channels that the template uses. So each recipient gets one message, however often the pass changes.
 */
export function creationMessages(
  ctx: AccountContext,
  { sendoutOptions }: StoredDefinition,
  pass: PassRecipients,
  before?: PassRecipients,
): NewMessage[] {
  const { emailRecipient, phoneRecipient } = pass;
  const found: NewMessage[] = [];
  if (sendoutOptions.passCreationNotification && emailRecipient && emailRecipient !== before?.emailRecipient) {
    found.push(newMessage(ctx, pass, { channel: 'email', kind: 'creation', recipient: emailRecipient }));
  }
  if (sendoutOptions.sms && phoneRecipient && phoneRecipient !== before?.phoneRecipient) {
    found.push(newMessage(ctx, pass, { channel: 'sms', kind: 'creation', recipient: phoneRecipient }));
  }
  return found;
}

/**
 * Builds the statements that store and count messages, for the batch of the change that requests them; none for no
 * messages. Skips a message if `condition`, which gets the SQL of its pass's identifier, is false. Messages beyond the
 * quota are stored, too, and fail when sent.
 */
export function insertMessages(
  ctx: AccountContext,
  list: NewMessage[],
  condition: (passId: SQL) => SQL,
  now = Date.now(),
) {
  if (list.length === 0) return [];
  const rows = JSON.stringify(list);
  const value = (name: keyof NewMessage) => sql.raw(`message.value ->> '${name}'`);
  const [id, passId] = [value('id'), value('passId')];
  return [
    ctx.db.insert(messages).select(sql`select ${id}, ${ctx.account.id}, ${passId}, ${value('templateId')},
        ${value('channel')}, ${value('kind')}, ${value('recipient')}, null, 'queued', null, null, 0, row_number() over () > ${messagesLeft(ctx, now)},
        ${now + ENQUEUE_MS_MAX}, ${now}, null
      from json_each(${rows}) as message where ${condition(passId)}`),
    countMessages(
      ctx,
      sql`select count(*) from json_each(${rows}) as message cross join ${messages}
        on ${messages.id} = ${id} and +${messages.accountId} = ${ctx.account.id} where not ${messages.isOverQuota}`,
      now,
    ),
  ];
}

/** Builds the jobs that send stored messages. */
export function messageJobs(accountId: string, list: Pick<NewMessage, 'id'>[]): Job[] {
  return list.map(({ id }) => ({ type: 'send-message', accountId, messageId: id }));
}
