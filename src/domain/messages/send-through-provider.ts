import { devSenders } from '../../dev/senders.ts';
import type { Env } from '../../platform/env.ts';
import { MAIL_BYTES_MAX, type Mail, type MailSender, type SendResult, sendMime } from '../../platform/mail.ts';
import { composeMime } from '../../platform/mime.ts';
import type { SmsProvider } from '../../platform/sms.ts';
import { Twilio, type TwilioSettings } from '../../platform/twilio.ts';
import type { Context } from '../context.ts';

/** A mail without its sender, which is the service's (`MAIL_FROM`); `fromName` precedes its address. */
export type OutgoingMail = Omit<Mail, 'from' | 'messageId'> & {
  fromName: string;
  /** Identifies the mail; the same for each attempt. */
  id: string;
};

/**
 * Sends a mail through Cloudflare Email Service, or the local replacement. A mail that is too large is sent without its
 * attachments, and the result says so.
 */
export async function sendMessageMail(ctx: Context, { fromName, id, ...content }: OutgoingMail): Promise<SendResult> {
  const sender = devSenders(ctx)?.mail ?? emailService(ctx.env);
  const { address } = sender;
  if (!address) return { outcome: 'refused', reason: 'No sender address is set up (MAIL_FROM)' };
  const messageId = `${id}@${address.slice(address.lastIndexOf('@') + 1)}`;
  const whole: Mail = { ...content, from: { name: fromName, address }, messageId };
  let mail = whole;
  let mime = composeMime(mail);
  if (mime.length > MAIL_BYTES_MAX && whole.attachments?.length) {
    mail = { ...whole, attachments: [] };
    mime = composeMime(mail);
  }
  if (mime.length > MAIL_BYTES_MAX) return { outcome: 'refused', reason: `The e-mail has ${mime.length} bytes` };
  const result = await sender.send(mail, mime);
  const note = mail === whole ? undefined : 'Sent without its attachment, which is too large for an e-mail';
  return result.outcome === 'sent' && note ? { ...result, note } : result;
}

function emailService({ MAIL_FROM, EMAIL }: Env): MailSender {
  return {
    address: MAIL_FROM ?? '',
    send: async (mail, mime) =>
      EMAIL ? sendMime(EMAIL, mail, mime) : { outcome: 'refused', reason: 'No send_email binding is set up (EMAIL)' },
  };
}

/** Sends an SMS through the configured provider, or the local replacement. `to` is E.164. */
export async function sendSms(ctx: Context, messageId: string, to: string, text: string): Promise<SendResult> {
  const provider = devSenders(ctx)?.sms ?? smsProvider(ctx.env);
  if (!provider) return { outcome: 'refused', reason: 'No SMS provider is set up' };
  return provider.send({ messageId, to, text, callbackUrl: ctx.baseUrl + statusPath(messageId) });
}

/** Returns the path at which a provider reports the status of a message. */
export function statusPath(messageId: string): string {
  return `/messages/${messageId}/status`;
}

/** Returns the SMS provider; another provider is another class behind `SmsProvider`. */
function smsProvider(env: Env): SmsProvider | undefined {
  const settings = twilioSettings(env);
  return settings && new Twilio(settings);
}

const TWILIO_API_URL = 'https://api.twilio.com';

/** Returns the settings of Twilio; undefined if it isn't set up. */
export function twilioSettings(env: Env): TwilioSettings | undefined {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from } = env;
  if (!accountSid || !authToken || !from) return undefined;
  return { accountSid, authToken, from, apiUrl: env.TWILIO_API_URL || TWILIO_API_URL };
}
