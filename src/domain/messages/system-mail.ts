import { escapeHtml } from '../../platform/html.ts';
import { type MailButton, mailDocument } from '../../platform/mail-layout.ts';
import { textToHtml } from '../../platform/text-to-html.ts';
import type { Context } from '../context.ts';
import { SENDER_NAME, type SystemMail } from './send-mail.ts';

/** Content of a mail of the service itself. */
export interface SystemMailContent {
  subject: string;
  /** Paragraphs of plain text. Addresses in them become links. */
  lines: string[];
  /** Named values, such as the account. */
  facts?: [name: string, value: string][];
  button?: MailButton;
  /** Paragraphs in small print, below the button. */
  notes?: string[];
}

const HEAD = { text: SENDER_NAME, background: '#1d1d1f', foreground: '#ffffff' };

/** Composes a mail of the service itself in plain text and HTML. Both end with the address of the service. */
export function systemMail({ baseUrl }: Pick<Context, 'baseUrl'>, to: string, content: SystemMailContent): SystemMail {
  const { subject, lines, facts = [], button, notes = [] } = content;
  const footer = URL.canParse(baseUrl) ? `${SENDER_NAME} · ${new URL(baseUrl).host}` : SENDER_NAME;
  const factLines = facts.map(([name, value]) => `${name}: ${value}`);
  const text = [
    ...lines,
    ...(factLines.length > 0 ? [factLines.join('\n')] : []),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    ...notes,
    `-- \n${footer}\n`,
  ].join('\n\n');
  const html = mailDocument({
    ...{ subject, lang: 'en', head: HEAD, footer },
    content: [...lines.map(textToHtml), factsHtml(facts)].join('\n'),
    buttons: button ? [button] : [],
    small: notes.length > 0 ? textToHtml(notes.join('\n\n')) : '',
  });
  return { to, subject, text, html };
}

function factsHtml(facts: [string, string][]): string {
  if (facts.length === 0) return '';
  const lines = facts.map(([name, value]) => `${escapeHtml(name)}: <b>${escapeHtml(value)}</b>`);
  return `<p>${lines.join('<br>\n')}</p>`;
}
