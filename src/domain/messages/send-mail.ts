import { uuidv7 } from '../../platform/ids.ts';
import type { SendResult } from '../../platform/mail.ts';
import type { Context } from '../context.ts';
import { sendMessageMail } from './send-through-provider.ts';

/** A mail of the service itself, for example to a user of its console. */
export interface SystemMail {
  to: string;
  subject: string;
  /** Plain-text version of the mail. */
  text: string;
  html: string;
}

/** Sender name if no account sends; also the name of the service in its mails. */
export const SENDER_NAME = 'Pass wallet service';

/**
 * Sends a mail of the service itself and returns the result; locally it goes to the dev inbox. `id` identifies a mail
 * that may be sent again, so that its recipient sees that it is the same.
 */
export function trySendMail(ctx: Context, mail: SystemMail, id = uuidv7()): Promise<SendResult> {
  return sendMessageMail(ctx, { ...mail, id, fromName: SENDER_NAME });
}

/** Sends a mail of the service itself. Throws if no provider accepts it. */
export async function sendMail(ctx: Context, mail: SystemMail): Promise<void> {
  const result = await trySendMail(ctx, mail);
  if (result.outcome !== 'sent') throw new Error(`a mail could not be sent: ${result.reason}`);
}
