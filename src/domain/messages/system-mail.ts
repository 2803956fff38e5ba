import { uuidv7 } from '../../platform/ids.ts';
import type { SendResult } from '../../platform/mail.ts';
import { type MailButton, mailDocument } from '../../platform/mail-layout.ts';
import { escapeHtml } from '../../platform/text.ts';
import { unlinked } from '../../platform/unlinked.ts';
import type { Context } from '../context.ts';
import { sendMessageMail } from './send-through-provider.ts';

/** Text of a mail of the service, in both forms of the mail. Only what the code marks with `link` is a link. */
export interface SafeText {
  plain: string;
  html: string;
}

/** Returns words of the service, which contain no value that a person chose. */
export function ownWords(text: string): SafeText {
  return { plain: text, html: escapeHtml(text) };
}

/** Returns an address of the service as a link. */
export function link(url: string): SafeText {
  const escaped = escapeHtml(url);
  return { plain: url, html: `<a href="${escaped}">${escaped}</a>` };
}

/** Template tag for words of the service with values. A string can be the choice of a person, so it never is a link. */
export function safeText(words: TemplateStringsArray, ...values: (string | number | SafeText)[]): SafeText {
  const parts = words.flatMap((word, i) => [ownWords(word), ...values.slice(i, i + 1).map(toSafeText)]);
  return {
    plain: parts.map(({ plain }) => plain).join(''),
    html: parts.map(({ html }) => html).join(''),
  };
}

function toSafeText(value: string | number | SafeText): SafeText {
  return typeof value === 'object' ? value : ownWords(unlinked(String(value)));
}

/** A mail of the service itself, for example to a user of its console. */
export interface SystemMail {
  to: string;
  subject: string;
  /** Plain-text version of the mail. */
  text: string;
  html: string;
}

/** Sender name if no account sends; also the name of the service in its mails. */
const SENDER_NAME = 'Pass wallet service';

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

/** Content of a mail of the service itself. */
interface SystemMailContent {
  subject: SafeText;
  /** Paragraphs. */
  lines: SafeText[];
  /** Named values that a person may have chosen, such as the name of an account. */
  facts?: [name: string, value: string][];
  button?: MailButton;
  /** Paragraphs in small print, below the button. */
  notes?: SafeText[];
}

const HEAD = { text: SENDER_NAME, background: '#1d1d1f', foreground: '#ffffff' };

/** Composes a mail of the service itself in plain text and HTML. Both end with the address of the service. */
export function systemMail({ baseUrl }: Pick<Context, 'baseUrl'>, to: string, content: SystemMailContent): SystemMail {
  const { lines, facts = [], button, notes = [] } = content;
  const subject = content.subject.plain;
  const footer = URL.canParse(baseUrl) ? `${SENDER_NAME} · ${new URL(baseUrl).host}` : SENDER_NAME;
  const shown = facts.map(([name, value]) => [name, safeText`${value}`] as const);
  const text = [
    ...lines.map(({ plain }) => plain),
    ...(shown.length > 0 ? [shown.map(([name, { plain }]) => `${name}: ${plain}`).join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...notes.map(({ plain }) => plain),
    `-- \n${footer}\n`,
  ].join('\n\n');
  const html = mailDocument({
    ...{ subject, lang: 'en', head: HEAD, footer },
    content: [...lines.map(paragraph), factsHtml(shown)].join('\n'),
    buttons: button ? [button] : [],
    small: notes.map(paragraph).join('\n'),
  });
  return { to, subject, text, html };
}

const paragraph = ({ html }: SafeText) => `<p>${html}</p>`;

function factsHtml(facts: (readonly [name: string, value: SafeText])[]): string {
  if (facts.length === 0) return '';
  const lines = facts.map(([name, { html }]) => `${escapeHtml(name)}: <b>${html}</b>`);
  return `<p>${lines.join('<br>\n')}</p>`;
}
