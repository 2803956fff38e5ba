import { type MailButton, mailDocument } from '../../platform/mail-layout.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { Context } from '../context.ts';
import { type SafeText, safeText } from './safe-text.ts';
import { SENDER_NAME, type SystemMail } from './send-mail.ts';

/** Content of a mail of the service itself. */
export interface SystemMailContent {
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
