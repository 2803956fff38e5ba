import type { Context } from '../domain/context.ts';
import { isLocalService } from '../platform/local-request.ts';
import type { MailSender } from '../platform/mail.ts';
import type { SmsProvider } from '../platform/sms.ts';
import type { PushSender } from '../wallets/apple/apns/push-sender.ts';
import type { GoogleSender } from '../wallets/google/google-sender.ts';
import {
  inboxGoogleSender,
  inboxMailSender,
  inboxPushSender,
  inboxSmsProvider,
  type PushWay,
} from './inbox/senders.ts';

/** Senders that replace those of a deployment in a local service. All store their messages in the dev inbox. */
interface DevSenders {
  mail: MailSender;
  sms: SmsProvider;
  /** `way`: transport by which pushes also reach Apple; absent: they don't. */
  pushes(way?: PushWay): PushSender;
  /** For development issuers, which Google doesn't know. */
  google: GoogleSender;
}

/** Returns the senders of a local service; undefined in a deployment. No other place makes this decision. */
export function devSenders(ctx: Context): DevSenders | undefined {
  if (!isLocalService(ctx.env)) return undefined;
  return {
    mail: inboxMailSender(ctx),
    sms: inboxSmsProvider(ctx),
    pushes: (way) => inboxPushSender(ctx, way),
    google: inboxGoogleSender(ctx),
  };
}
