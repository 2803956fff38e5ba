import type { Context } from '../context.ts';
import { leaveInOutbox } from '../outbox/leave-in-outbox.ts';

export interface Mail {
  to: string;
  subject: string;
  /** The mail for readers without HTML. */
  text: string;
  html: string;
}

/** Sends a mail; locally it lands in the outbox. Throws when it could not be handed over. */
export async function sendMail(ctx: Context, { to, subject, text, html }: Mail): Promise<void> {
  await leaveInOutbox(ctx, [{ kind: 'email', to, subject, text, details: { html } }]);
}
