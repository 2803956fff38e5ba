import { escapeHtml } from '../../platform/html.ts';
import { buttonsHtml, type MailButton, mailDocument, mailRow } from '../../platform/mail-layout.ts';
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

const HEAD = 'padding:20px 28px;background:#1d1d1f;color:#ffffff;font-size:18px;font-weight:700;line-height:24px';
const TEXT = 'padding:28px 28px 8px;color:#17181c;font-size:16px;line-height:24px;overflow-wrap:anywhere';
const SMALL = 'padding:4px 28px 20px;color:#565963;font-size:14px;line-height:20px;overflow-wrap:anywhere';

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
  const rows = [
    mailRow(HEAD, escapeHtml(SENDER_NAME)),
    mailRow(TEXT, [...lines.map(textToHtml), factsHtml(facts)].join('\n'), 'content'),
    button ? mailRow('padding:8px 28px 12px', buttonsHtml([button])) : '',
    notes.length > 0 ? mailRow(SMALL, notes.map(textToHtml).join('\n'), 'quiet') : '',
  ];
  return { to, subject, text, html: mailDocument({ subject, lang: 'en', rows, footer }) };
}

function factsHtml(facts: [string, string][]): string {
  if (facts.length === 0) return '';
  const lines = facts.map(([name, value]) => `${escapeHtml(name)}: <b>${escapeHtml(value)}</b>`);
  return `<p>${lines.join('<br>\n')}</p>`;
}
