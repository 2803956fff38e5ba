import type { Context } from '../../domain/context.ts';
import type { MailAttachment, MailSender } from '../../platform/mail.ts';
import { type SmsProvider, smsLength } from '../../platform/sms.ts';
import type { DevicePush, PushOutcome, PushSender, PushTransport } from '../../wallets/apple/apns/push-sender.ts';
import type { GoogleSender } from '../../wallets/google/google-sender.ts';
import { NOTIFY_ON_UPDATE, type WalletResource } from '../../wallets/google/resource.ts';
import { keepItems, type NewItem } from './items.ts';

/** A transport to Apple that is configured for a certificate, with its kind. */
export interface PushWay {
  via: string;
  transport: PushTransport;
}

/**
 * Stores each push. With a transport, it also reaches Apple and its result is stored; without one, nothing leaves the
 * service.
 */
export function inboxPushSender(ctx: Context, way?: PushWay): PushSender {
  return {
    async send(topic, pushes) {
      const outcomes: PushOutcome[] = way
        ? await way.transport.push(
            topic,
            pushes.map(({ token }) => token),
          )
        : pushes.map(() => ({ outcome: 'sent' }));
      const items = pushes.flatMap((push, i) => itemsOf(topic, push, way && { via: way.via, ...outcomes[i] }));
      await keepItems(ctx, items);
      return outcomes;
    },
  };
}

/** Returns an item for each text in the push. A push names no pass, so it covers all passes of a device. */
function itemsOf(topic: string, { token, about }: DevicePush, outcome?: object): NewItem[] {
  return [...Map.groupBy(about, ({ text }) => text ?? '')].map(([text, [first, ...others]]) => ({
    kind: 'apns',
    to: token,
    subject: topic,
    text,
    details: { ...(others.length === 0 ? { passId: first!.passId } : {}), ...outcome },
  }));
}

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

/** Stores the requests that the Google Wallet API would get from a development issuer, which Google doesn't know. */
export function inboxGoogleSender(ctx: Context): GoogleSender {
  const keep = async (items: NewItem[]) => {
    await keepItems(ctx, items);
    return { outcome: 'ok' } as const;
  };
  return {
    send(_ctx, { walletClass, object, message, shouldNotify }) {
      const resource = shouldNotify ? { ...object.resource, ...NOTIFY_ON_UPDATE } : object.resource;
      const items = [itemOf('class', walletClass), itemOf('object', { ...object, resource })];
      if (!message) return keep(items);
      const body = { message: { ...message, messageType: 'TEXT_AND_NOTIFY' } };
      const details = { type: `${object.kind}Object`, body };
      return keep([
        ...items,
        { kind: 'google', to: object.resource.id, subject: 'message', text: message.body, details },
      ]);
    },
    end(kind, id) {
      const details = { type: `${kind}Object`, body: { state: 'EXPIRED' } };
      return keep([{ kind: 'google', to: id, subject: 'object', details }]);
    },
  };
}

function itemOf(subject: 'class' | 'object', { kind, resource }: WalletResource): NewItem {
  const type = `${kind}${subject === 'class' ? 'Class' : 'Object'}`;
  return { kind: 'google', to: resource.id, subject, details: { type, body: resource } };
}
