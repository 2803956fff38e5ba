import type { Context } from '../../domain/context.ts';
import type { MailAttachment, MailSender } from '../../platform/mail.ts';
import { type SmsProvider, smsLength } from '../../platform/sms.ts';
import { keepItems } from './keep-items.ts';

const ADDRESS = 'passes@localhost';

/** Stores e-mails with their MIME source. */
export function inboxMailSender(ctx: Context): MailSender {
  return {
    address: ctx.env.MAIL_FROM || ADDRESS,
    async send(mail, mime) {
      const { to, from, replyTo, subject, text, html, attachments = [], messageId } = mail;
      const source: MailAttachment = { filename: 'source.eml', type: 'message/rfc822', bytes: mime };
      const details = { from: `${from.name} <${from.address}>`, replyTo, messageId, html };
      await keepItems(ctx, [{ kind: 'email', to, subject, text, details, files: [...attachments, source] }]);
      return { outcome: 'sent', providerId: null };
    },
  };
}

/** Stores text messages with the length that a provider would charge. */
export function inboxSmsProvider(ctx: Context): SmsProvider {
  return {
    async send({ messageId, to, text }) {
      await keepItems(ctx, [{ kind: 'sms', to, text, details: { messageId, ...smsLength(text) } }]);
      return { outcome: 'sent', providerId: null };
    },
  };
}
