import type { Handover } from '../../platform/handover.ts';
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

/** Hands a mail of the service itself over; locally it lands in the outbox. */
export function handOverSystemMail(ctx: Context, mail: SystemMail): Promise<Handover> {
  return handOverMail(ctx, { ...mail, id: uuidv7(), fromName: SENDER_NAME });
}

/** Sends a mail of the service itself. Throws when it could not be handed over. */
export async function sendMail(ctx: Context, mail: SystemMail): Promise<void> {
  const handover = await handOverSystemMail(ctx, mail);
  if (handover.outcome !== 'sent') throw new Error(`a mail could not be sent: ${handover.reason}`);
}
