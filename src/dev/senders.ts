import type { Context } from '../domain/context.ts';
import { isLocalService } from '../platform/local-request.ts';
import type { MailSender } from '../platform/mail.ts';
import type { SmsProvider } from '../platform/sms.ts';
import type { PushSender } from '../wallets/apple/apns/push-sender.ts';
import type { GoogleSender } from '../wallets/google/google-sender.ts';
import { inboxGoogleSender } from './inbox/google-sender.ts';
import { inboxMailSender, inboxSmsProvider } from './inbox/message-senders.ts';
import { inboxPushSender, type PushWay } from './inbox/push-sender.ts';

/** What a local service has in place of the senders of a deployment. All keep what they get in the dev inbox. */
export interface DevSenders {
  mail: MailSender;
  sms: SmsProvider;
  /** `way`: how pushes also reach Apple; absent: they don't. */
  pushes(way?: PushWay): PushSender;
  /** For development issuers, which Google doesn't know. */
  google: GoogleSender;
}

/** The senders of a local service; undefined in a deployment. Nothing else decides which of the two it is. */
export function devSenders(ctx: Context): DevSenders | undefined {
  if (!isLocalService(ctx.env)) return undefined;
  return {
    mail: inboxMailSender(ctx),
    sms: inboxSmsProvider(ctx),
    pushes: (way) => inboxPushSender(ctx, way),
    google: inboxGoogleSender(ctx),
  };
}
