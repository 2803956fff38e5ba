import { escapeHtml } from './text.ts';

/** A button in an e-mail. */
export interface MailButton {
  label: string;
  url: string;
}

/** An e-mail, as a card on a page. */
export interface MailDocument {
  subject: string;
  /** Language of the text, for screen readers. */
  lang: string;
  /** First line of the card, and its colors. */
  head: { text: string; background: string; foreground: string };
  /** HTML. */
  content: string;
  buttons: MailButton[];
  /** HTML in small print below the buttons. */
  small: string;
  /** Text below the card. */
  footer: string;
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
    .button { display: block !important; margin-right: 0 !important; }
  }
  @media (prefers-color-scheme: dark) {
    .page { background: #0e0f12 !important; }
    .card { background: #1b1d22 !important; }
    .content, .content p, .content li, .content td, .content h1, .content h2 { color: #f1f2f4 !important; }
    .quiet { color: #a4a8b3 !important; }
    a { color: #8ab4f8; }
    .button { border-color: #ffffff !important; background: #ffffff !important; }
    .button span { color: #17181c !important; }
  }
`;

/** Returns buttons in a form that all mail clients can render: links with padding, without images. */
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

/** Returns the complete e-mail: a card of at most 600 px, without remote images, for light and dark mail clients. */
export function mailDocument({ subject, lang, head, content, buttons, small, footer }: MailDocument): string {
  const row = (style: string, inner: string, name = '') =>
    inner && `<tr><td${name && ` class="${name}"`} style="${FONT};${style}">${inner}</td></tr>`;
  const { background, foreground } = head;
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
${row(`padding:20px 28px;background:${background};color:${foreground};font-size:18px;font-weight:700;line-height:24px`, escapeHtml(head.text))}
${row('padding:28px 28px 8px;color:#17181c;font-size:16px;line-height:24px;overflow-wrap:anywhere', content, 'content')}
${row('padding:8px 28px 12px', buttonsHtml(buttons))}
${row('padding:4px 28px 28px;color:#565963;font-size:14px;line-height:20px;overflow-wrap:anywhere', small, 'quiet')}
</table>
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px">
${row('padding:16px 28px;color:#565963;font-size:13px;line-height:18px', escapeHtml(footer), 'quiet')}
</table>
</td></tr></table>
</div>
</body>
</html>`;
}
