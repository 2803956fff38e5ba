import type { AccountContext, Context } from '../../domain/context.ts';
import { claimMessage, type NamedMessage, settleMessage } from '../../domain/messages/message-attempts.ts';
import { sendMessageMail, sendSms } from '../../domain/messages/send-through-provider.ts';
import type { Message } from '../../domain/messages/table.ts';
import { withoutToken } from '../../domain/passes/card/kept-text.ts';
import { importPendingImages } from '../../domain/passes/images/import-pending-images.ts';
import { findPublicPassById, type PublicPass } from '../../domain/passes/page/find-page.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { SendResult } from '../../platform/mail.ts';
import { composeMail, composeSms } from './compose-mail.ts';

/**
 * Job: sends a stored message. If the job is delivered twice, only one sends. The cron retries what can't be sent now,
 * and permanent failures are recorded. Returns the current message, or undefined if there was nothing to do. Rejects
 * only for a database error.
 */
export async function sendMessage(ctx: Context, named: NamedMessage): Promise<Message | undefined> {
  const message = await claimMessage(ctx, named);
  if (!message) return undefined;
  const shown = await findShown(ctx, message.passId);
  // Deleting a pass deletes its messages.
  if (!shown) return undefined;
  const { result, subject } = await attempt(shown, message);
  return settleMessage(shown.ctx, message, result, subject);
}

/** Sends messages before a request is answered. Leaves failures to the cron, because the pass is already stored. */
export async function sendMessages(ctx: AccountContext, list: { id: string }[]): Promise<void> {
  await Promise.all(
    list.map(async ({ id }) => {
      try {
        await sendMessage(ctx, { accountId: ctx.account.id, messageId: id });
      } catch (error) {
        logLine('error', { event: 'message', requestId: ctx.requestId, message: id, error: describeError(error) });
      }
    }),
  );
}

/** The connections that the queue gives to a message. */
const IMAGES_AT_A_TIME = 2;

/** Returns the pass with its images, because a sent file can't get them later. */
async function findShown(ctx: Context, passId: string): Promise<PublicPass | undefined> {
  const shown = await findPublicPassById(ctx, passId);
  if (!shown?.pass.appearance.pendingImages) return shown;
  await importPendingImages(ctx, passId, { atATime: IMAGES_AT_A_TIME });
  return findPublicPassById(ctx, passId);
}

interface Attempt {
  result: SendResult;
  /** Subject of a composed e-mail, without secrets, for storage. */
  subject: string | null;
}

async function attempt(shown: PublicPass, message: Message): Promise<Attempt> {
  const { ctx } = shown;
  if (message.isOverQuota) return refusal('quota');
  try {
    if (message.channel === 'sms') {
      const sms = await composeSms(shown, message);
      if ('refused' in sms) return refusal(sms.refused);
      return { result: await sendSms(ctx, message.id, sms.to, sms.text), subject: null };
    }
    const mail = await composeMail(shown, message);
    if ('refused' in mail) return refusal(mail.refused);
    const subject = withoutToken(ctx, shown.pass, mail.subject);
    return { result: await sendMessageMail(ctx, mail), subject };
  } catch (error) {
    logLine('error', { event: 'message', requestId: ctx.requestId, message: message.id, error: describeError(error) });
    return { result: { outcome: 'unavailable', reason: 'Internal error' }, subject: null };
  }
}

function refusal(reason: string): Attempt {
  return { result: { outcome: 'refused', reason }, subject: null };
}
