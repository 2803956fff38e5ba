import { escapeHtml } from '../../platform/html.ts';

/** Whether a text is HTML: it holds a tag, a comment or a document type. */
export function isHtml(text: string): boolean {
  return /<(?:[a-z][a-z0-9]*(?:\s[^<>]*|\/)?>|\/[a-z]|!)/i.test(text);
}

/** Whether HTML is a whole document rather than a piece of one. */
export function isHtmlDocument(html: string): boolean {
  return /<(?:html|body)[\s>]/i.test(html);
}

const URL_PATTERN = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/g;

/** A plain text as HTML: paragraphs where a line is empty, line breaks elsewhere, and web addresses as links. */
export function textToHtml(text: string): string {
  const paragraphs = text.trim().split(/\n[^\S\n]*\n\s*/);
  return paragraphs.map((lines) => `<p>${linked(lines).replaceAll('\n', '<br>\n')}</p>`).join('\n');
}

function linked(text: string): string {
  let html = '';
  let at = 0;
  for (const match of text.matchAll(URL_PATTERN)) {
    const url = escapeHtml(match[0]);
    html += `${escapeHtml(text.slice(at, match.index))}<a href="${url}">${url}</a>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(at));
}

/** Elements whose content nobody reads. */
const UNSEEN = /<!--.*?-->|<(head|style|script|title|template)\b[^>]*>.*?<\/\1\s*>/gis;
const LINK = /<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))[^>]*>(.*?)<\/a\s*>/gis;
const BREAK = /<br\b[^>]*>|<\/(?:div|tr|li|h[1-6]|ul|ol|table|blockquote)\s*>/gi;
const PARAGRAPH = /<\/?p\b[^>]*>|<hr\b[^>]*>/gi;
const IMAGE = /<img\b[^>]*?\balt\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>/gi;

/** What a reader without HTML gets of it: lines and paragraphs, list items with a dash, links with their address behind them. */
export function htmlToText(html: string): string {
  const text = html
    .replace(UNSEEN, '')
    .replace(/\s+/g, ' ')
    .replace(IMAGE, (_, double = '', single = '') => double || single)
    .replace(LINK, (_, double, single, bare, label: string) => {
      const url: string = double ?? single ?? bare;
      const words = label.replace(/<[^>]*>/g, '').trim();
      return words === url || words === '' ? url : `${words} (${url})`;
    })
    .replace(/<li\b[^>]*>/gi, '- ')
    .replace(BREAK, '\n')
    .replace(PARAGRAPH, '\n\n')
    .replace(/<[^>]*>/g, '');
  const lines = decodeEntities(text).split('\n');
  return lines
    .map((line) => line.replace(/[^\S\u00a0]+/g, ' ').trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const NAMED: Record<string, string> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    shy: '\u00ad',
    euro: '€',
    copy: '©',
    reg: '®',
  },
  ...{ hellip: '…', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«' },
  ...{ raquo: '»', bull: '•', middot: '·', times: '×', deg: '°', auml: 'ä', ouml: 'ö', uuml: 'ü', szlig: 'ß' },
  ...{ Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', agrave: 'à', aacute: 'á', acirc: 'â', aring: 'å', aelig: 'æ', ccedil: 'ç' },
  ...{
    egrave: 'è',
    eacute: 'é',
    ecirc: 'ê',
    euml: 'ë',
    iacute: 'í',
    ntilde: 'ñ',
    oacute: 'ó',
    oslash: 'ø',
    uacute: 'ú',
  },
};

/** Numeric references, and those names that mails are written with; an unknown one stays as written. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (written, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED[name] ?? written;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}
