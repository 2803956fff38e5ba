import { uuidv7 } from '../../platform/ids.ts';
import type { Context } from '../context.ts';
import { handOverMail } from './hand-over.ts';

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

/** Sends a mail of the service itself; locally it lands in the outbox. Throws when it could not be handed over. */
export async function sendMail(ctx: Context, mail: SystemMail): Promise<void> {
  const handover = await handOverMail(ctx, { ...mail, id: uuidv7(), fromName: SENDER_NAME });
  if (handover.outcome !== 'sent') throw new Error(`a mail could not be sent: ${handover.reason}`);
}
