import { readPhoneNumber } from '../../domain/messages/recipients.ts';
import type { Message } from '../../domain/messages/table.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { pagePath } from '../../domain/passes/page/links.ts';
import { filler, type Unsendable } from './compose-mail.ts';

export interface OutgoingSms {
  /** E.164. */
  to: string;
  text: string;
}

/**
 * Composes the text message: the template's text with the values of the pass. It ends with the link to the pass unless
 * the text contains it.
 */
export async function composeSms(shown: PublicPass, message: Message): Promise<OutgoingSms | Unsendable> {
  const { ctx, definition, pass } = shown;
  const template = definition.sendoutOptions.sms?.text;
  if (!template) return { refused: 'The pass template has no SMS text' };
  const to = readPhoneNumber(message.recipient);
  if (!to)
    return { refused: `"${message.recipient}" is not a phone number with its country code, such as +43 664 1234567` };
  const fill = await filler(shown, template);
  const words = fill(template).trim();
  const url = ctx.baseUrl + pagePath(ctx.env, pass);
  return { to, text: words.includes(url) ? words : `${words} ${url}`.trim() };
}
