import { formatDateTime } from '../../platform/dates.ts';
import type { AccountContext } from '../context.ts';
import type { NewEvent } from '../events/record-event.ts';
import type { Message } from './table.ts';

/** Builds the event with the result of a message. Times are in the account's time zone. */
export function messageEvent(ctx: AccountContext, type: 'message_sent' | 'message_failed', message: Message): NewEvent {
  const { timezone } = ctx.account;
  return {
    type,
    templateId: message.templateId,
    passId: message.passId,
    body: {
      messageId: message.id,
      channel: message.channel,
      recipient: message.recipient,
      status: message.status,
      statusDetails: message.statusDetails,
      subject: message.subject,
      passInstanceId: message.passId,
      templateId: message.templateId,
      createdOn: formatDateTime(message.createdAt, timezone),
      submittedOn: message.submittedAt === null ? null : formatDateTime(message.submittedAt, timezone),
    },
  };
}
