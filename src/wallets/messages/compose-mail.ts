import { readEmailAddress, readPhoneNumber } from '../../domain/messages/recipients.ts';
import type { OutgoingMail } from '../../domain/messages/send-through-provider.ts';
import type { Message } from '../../domain/messages/table.ts';
import type { Card } from '../../domain/passes/card/card.ts';
import { fillPlaceholders } from '../../domain/passes/card/placeholders.ts';
import { isDownloadBlocked } from '../../domain/passes/page/enable-download.ts';
import type { PublicPass } from '../../domain/passes/page/find-page.ts';
import { openTokens, pagePath, pathOfPage } from '../../domain/passes/page/links.ts';
import { isPinRequired } from '../../domain/passes/page/pin.ts';
import { signerFor } from '../../domain/signing-keys/signer.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { type MailAttachment, SUBJECT_CHARS_MAX } from '../../platform/mail.ts';
import { buttonsHtml, type MailButton, mailDocument } from '../../platform/mail-layout.ts';
import { headerText } from '../../platform/mime.ts';
import { escapeHtml } from '../../platform/text.ts';
import { textToHtml } from '../../platform/text-to-html.ts';
import { readPassFile } from '../apple/pass-file-cache.ts';
import { hasPassFile } from '../apple/pass-file-reply.ts';
import { walletSaveUri } from '../links.ts';
import { htmlToText, isHtml, isHtmlDocument } from './mail-text.ts';
import { type MessageWords, messageWords } from './words.ts';

/** Position of the buttons in a template. Without it, they follow the text. */
const BUTTONS_PLACE = '{walletButtons}';

/** Reason why a message can't be composed, for `statusDetails`. */
interface Unsendable {
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
async function filler({ ctx, pass, definition }: PublicPass, asking: string): Promise<Fill> {
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

interface OutgoingSms {
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

/** Content around the template's text. */
interface MailFrame {
  subject: string;
  /** Language of the text, for screen readers. */
  lang: string;
  organizationName: string;
  colors: Card['colors'];
  buttons: MailButton[];
  /** Small print below the buttons. */
  hints: string[];
  pageUrl: string;
  words: MessageWords;
  /** Name of the sending account. */
  senderName: string;
}

/** Returns the complete e-mail: a card in the colors of the pass, with `content` (HTML) in it. */
function mailHtml(content: string, frame: MailFrame): string {
  const { subject, lang, organizationName, buttons, senderName } = frame;
  const head = { text: organizationName, ...headColors(frame.colors) };
  return mailDocument({ subject, lang, head, content, buttons, small: hintsHtml(frame), footer: senderName });
}

function hintsHtml({ hints, words, pageUrl }: MailFrame): string {
  const url = escapeHtml(pageUrl);
  const page = `${escapeHtml(words.page)} <a href="${url}">${url}</a>`;
  return [...hints.map(escapeHtml), page].join('<br>\n');
}

const HEAD_DEFAULT = '#1d1d1f';
/** Minimum contrast of text by WCAG 2.2 (1.4.3). */
const CONTRAST_MIN = 4.5;

/** Returns the colors of the pass, or a readable foreground color if theirs has too little contrast. */
function headColors({ backgroundColor = HEAD_DEFAULT, foregroundColor }: Card['colors']) {
  const strongest =
    contrast(backgroundColor, '#ffffff') >= contrast(backgroundColor, '#000000') ? '#ffffff' : '#000000';
  const readable = foregroundColor && contrast(backgroundColor, foregroundColor) >= CONTRAST_MIN;
  return { background: backgroundColor, foreground: readable ? foregroundColor : strongest };
}

/** Returns the contrast of two `#rrggbb` colors (WCAG 2.2, "contrast ratio"). */
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
