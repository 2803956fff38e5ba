import { uuidv7 } from '../../platform/ids.ts';
import type { SendResult } from '../../platform/send-result.ts';
import type { Context } from '../context.ts';
import { sendMessageMail } from './send-through-provider.ts';

/** A mail of the service itself, say to a user of its console. */
export interface SystemMail {
  to: string;
  subject: string;
  /** The mail for readers without HTML. */
  text: string;
  html: string;
}

/** Whose mail it is, where no account sends. */
const SENDER_NAME = 'Pass wallet service';

/**
 * Sends a mail of the service itself and returns the result; locally it lands in the dev inbox. `id` names a mail that
 * may be sent again, so that its receiver sees that it is the same.
 */
export function trySendMail(ctx: Context, mail: SystemMail, id = uuidv7()): Promise<SendResult> {
  return sendMessageMail(ctx, { ...mail, id, fromName: SENDER_NAME });
}

/** Sends a mail of the service itself. Throws when no provider takes it. */
export async function sendMail(ctx: Context, mail: SystemMail): Promise<void> {
  const result = await trySendMail(ctx, mail);
  if (result.outcome !== 'sent') throw new Error(`a mail could not be sent: ${result.reason}`);
}
