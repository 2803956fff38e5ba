import type { Card } from '../../domain/passes/card/card.ts';
import { escapeHtml } from '../../platform/html.ts';
import type { MessageWords } from './words.ts';

/** A button in an e-mail. */
export interface MailButton {
  label: string;
  url: string;
}

/** Content around the template's text. */
export interface MailFrame {
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

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/** Styles for mail clients with dark mode. Others use the inline colors. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  body { margin: 0; padding: 0; }
  .content p, .content ul, .content ol { margin: 0 0 16px; }
  .content h1, .content h2 { margin: 0 0 12px; line-height: 1.25; }
  .content img { max-width: 100%; height: auto; }
  a { color: #0a58ca; }
  @media (max-width: 639px) {
    .outer { padding: 0 !important; }
    .card { border-radius: 0 !important; }
    .button { display: block !important; }
  }
  @media (prefers-color-scheme: dark) {
    .page { background: #0e0f12 !important; }
    .card { background: #1b1d22 !important; }
    .content, .content p, .content li, .content td, .content h1, .content h2 { color: #f1f2f4 !important; }
    .quiet { color: #a4a8b3 !important; }
    a { color: #8ab4f8; }
    .button { border-color: #6b6f7a !important; }
  }
`;

/** Returns the wallet buttons in a form that all mail clients can render: links with padding, without images. */
export function buttonsHtml(buttons: MailButton[]): string {
  return buttons
    .map(
      ({ label, url }) =>
        `<a class="button" href="${escapeHtml(url)}" style="display:inline-block;margin:0 8px 12px 0;padding:14px 22px;` +
        `border:1px solid #000000;border-radius:12px;background:#000000;color:#ffffff;${FONT};font-size:16px;` +
        `font-weight:600;line-height:20px;text-align:center;text-decoration:none"><span style="color:#ffffff">` +
        `${escapeHtml(label)}</span></a>`,
    )
    .join('\n');
}

/** Returns the complete e-mail: a card of at most 600 px in the colors of the pass, with `content` (HTML) in it. */
export function mailHtml(content: string, frame: MailFrame): string {
  const { subject, lang, organizationName, buttons, senderName } = frame;
  const { background, foreground } = headColors(frame.colors);
  const cell = (style: string, inner: string, name = '') =>
    `<tr><td${name && ` class="${name}"`} style="${FONT};${style}">${inner}</td></tr>`;
  return `<!DOCTYPE html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subject)}</title>
<style>${STYLE}</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f4f6">
<div role="article" aria-roledescription="email" aria-label="${escapeHtml(subject)}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td class="outer" align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;background:#ffffff;border-radius:16px;overflow:hidden">
${cell(`padding:20px 28px;background:${background};color:${foreground};font-size:18px;font-weight:700;line-height:24px`, escapeHtml(organizationName))}
${cell('padding:28px 28px 8px;color:#17181c;font-size:16px;line-height:24px;overflow-wrap:anywhere', content, 'content')}
${buttons.length > 0 ? cell('padding:8px 28px 12px', buttonsHtml(buttons)) : ''}
${cell('padding:4px 28px 28px;color:#565963;font-size:14px;line-height:20px;overflow-wrap:anywhere', hintsHtml(frame), 'quiet')}
</table>
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px">
${cell('padding:16px 28px;color:#565963;font-size:13px;line-height:18px', escapeHtml(senderName), 'quiet')}
</table>
</td></tr></table>
</div>
</body>
</html>`;
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
