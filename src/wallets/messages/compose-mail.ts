import { readEmailAddress } from '../../domain/messages/recipients.ts';
import type { OutgoingMail } from '../../domain/messages/send-through-provider.ts';
import type { Message } from '../../domain/messages/table.ts';
import { fillPlaceholders } from '../../domain/passes/card/placeholders.ts';
import { isDownloadBlocked } from '../../domain/passes/page/enable-download.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { openTokens, pagePath, pathOfPage } from '../../domain/passes/page/links.ts';
import { isPinRequired } from '../../domain/passes/page/pin.ts';
import { signerFor } from '../../domain/signing-keys/signer.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { escapeHtml } from '../../platform/html.ts';
import { type MailAttachment, SUBJECT_CHARS_MAX } from '../../platform/mail.ts';
import { buttonsHtml, type MailButton } from '../../platform/mail-layout.ts';
import { headerText } from '../../platform/mime.ts';
import { textToHtml } from '../../platform/text-to-html.ts';
import { readPassFile } from '../apple/pass-file-cache.ts';
import { hasPassFile } from '../apple/pass-file-reply.ts';
import { walletSaveUri } from '../links.ts';
import { mailHtml } from './mail-html.ts';
import { htmlToText, isHtml, isHtmlDocument } from './mail-text.ts';
import { type MessageWords, messageWords } from './words.ts';

/** Position of the buttons in a template. Without it, they follow the text. */
const BUTTONS_PLACE = '{walletButtons}';

/** Reason why a message can't be composed, for `statusDetails`. */
export interface Unsendable {
  refused: string;
}

/**
 * Composes the e-mail of a message: the template's text with the values of the pass, in HTML and plain text, with links
 * to both wallets and the signed pass file. If the page asks for a PIN or blocks the download, the e-mail only links to
 * the page: a file or direct link must not bypass that.
 */
export async function composeMail(shown: PublicPass, message: Message): Promise<OutgoingMail | Unsendable> {
  const { ctx, definition, card, pass } = shown;
  const { passCreationNotification, adHoc } = definition.sendoutOptions;
  const template = message.kind === 'adhoc' ? adHoc : passCreationNotification;
  if (!template) return { refused: 'The pass template has no e-mail template for this kind of message' };
  const to = readEmailAddress(message.recipient);
  if (!to) return { refused: `"${message.recipient}" is not a valid e-mail address` };

  const fill = await filler(shown, template.subject + template.emailTemplate);
  const subject = headerText(fill(template.subject)) || card.description;
  if (subject.length > SUBJECT_CHARS_MAX) {
    return { refused: `The subject has ${subject.length} characters; the maximum is ${SUBJECT_CHARS_MAX}` };
  }
  const words = messageWords(ctx.account.language);
  const barrier = barrierOf(shown);
  const attachments = barrier ? [] : await passFile(shown);
  const frame = {
    ...{ subject, words, lang: words.lang, senderName: ctx.account.name, colors: card.colors },
    organizationName: card.organizationName,
    buttons: await buttonsOf(shown, words, barrier !== undefined),
    hints: barrier ? [words[barrier]] : attachments.length > 0 ? [words.attached] : [],
    pageUrl: ctx.baseUrl + pagePath(ctx.env, pass),
  };
  const body = bodyOf(template.emailTemplate, fill, frame.buttons);
  const html = body.isDocument
    ? body.html
    : mailHtml(body.html, { ...frame, buttons: body.placed ? [] : frame.buttons });
  const text = [body.text, [`${words.page} ${frame.pageUrl}`, ...frame.hints].join('\n')].join('\n\n');
  const { name: fromName, replyTo } = ctx.account;
  return { id: message.id, to, fromName, replyTo: replyTo ?? undefined, subject, text, html, attachments };
}

type Fill = (text: string, quote?: (value: string) => string) => string;

/**
 * Returns a function that fills texts with values of the pass. `asking` contains all texts, which shows whether the
 * account's signer is needed.
 */
export async function filler({ ctx, pass, definition }: PublicPass, asking: string): Promise<Fill> {
  const timezone = timeZoneOf(ctx.account, definition);
  const source = { pass, definition, timezone, links: ctx, signer: await signerFor(ctx, asking) };
  return (text, quote) => fillPlaceholders(text, { ...source, quote });
}

interface Body {
  html: string;
  text: string;
  /** Whether the template is a complete document, which needs no frame. */
  isDocument: boolean;
  /** Whether the template sets the position of the buttons. */
  placed: boolean;
}

function bodyOf(template: string, fill: Fill, buttons: MailButton[]): Body {
  const placed = template.includes(BUTTONS_PLACE);
  const parts = template.split(BUTTONS_PLACE);
  const list = buttons.map(({ label, url }) => `${label}: ${url}`).join('\n');
  if (!isHtml(template)) {
    const filled = parts.map((part) => fill(part));
    const html = filled.map(textToHtml).join(`<p>${buttonsHtml(buttons)}</p>`);
    return { html, text: filled.join(list), isDocument: false, placed };
  }
  const filled = parts.map((part) => fill(part, escapeHtml));
  const html = filled.join(buttonsHtml(buttons));
  const text = htmlToText(html);
  if (!isHtmlDocument(html)) return { html, text, isDocument: false, placed };
  return { html: placed ? html : withButtons(html, buttonsHtml(buttons)), text, isDocument: true, placed };
}

/** Inserts the buttons at the end of a complete document's body. */
function withButtons(html: string, buttons: string): string {
  const end = html.search(/<\/body\s*>/i);
  const at = end < 0 ? html.length : end;
  return `${html.slice(0, at)}<div>${buttons}</div>${html.slice(at)}`;
}

/** Returns what prevents a direct download, if anything; also the key of its text. */
function barrierOf({ definition, pass }: PublicPass): 'pin' | 'blocked' | undefined {
  if (isPinRequired(definition, pass)) return 'pin';
  return isDownloadBlocked(definition, pass, Date.now()) ? 'blocked' : undefined;
}

/** Returns the buttons. The file's link goes through the page, which asks for a PIN if the pass gets one later. */
async function buttonsOf(shown: PublicPass, words: MessageWords, barred: boolean): Promise<MailButton[]> {
  const { ctx, pass, card, googleIssuer } = shown;
  const page = { label: words.open, url: ctx.baseUrl + pagePath(ctx.env, pass) };
  if (barred) return [page];
  const saveUrl = await walletSaveUri(ctx, card, googleIssuer);
  const fileUrl = `${ctx.baseUrl}${pathOfPage(openTokens(ctx.env, pass).page)}/pass.pkpass`;
  const buttons = [
    ...(hasPassFile(shown) ? [{ label: words.addToApple, url: fileUrl }] : []),
    ...(saveUrl ? [{ label: words.addToGoogle, url: saveUrl }] : []),
  ];
  return buttons.length > 0 ? buttons : [page];
}

async function passFile(shown: PublicPass): Promise<MailAttachment[]> {
  if (!hasPassFile(shown)) return [];
  const bytes = await readPassFile(shown, shown.certificate);
  return [{ filename: 'pass.pkpass', type: 'application/vnd.apple.pkpass', bytes }];
}
