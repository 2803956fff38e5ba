import { own } from '../../platform/json.ts';

const ELEMENTS =
  'a|abbr|b|big|blockquote|body|br|center|code|div|em|font|h[1-6]|head|hr|html|i|img|li|meta|ol|p|pre|s|section|small|span|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|u|ul';
const MARKUP = new RegExp(`</?(?:${ELEMENTS})(?:\\s[^<>]*|/)?>|<!(?:--|doctype)`, 'i');

/** Returns whether a text is HTML: it contains a tag that is common in e-mails, a comment or a document type. */
export function isHtml(text: string): boolean {
  return MARKUP.test(text);
}

/** Returns whether HTML is a complete document and not a fragment. */
export function isHtmlDocument(html: string): boolean {
  return /<(?:html|body)[\s>]/i.test(html);
}

/** Elements with invisible content. */
const INVISIBLE_ELEMENTS = new Set(['head', 'style', 'script', 'title', 'template']);
/** Elements that start and end a line, and elements with an empty line around them. */
const LINES = new Set(['div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'blockquote', 'section']);
const PARAGRAPHS = new Set(['p', 'hr', 'ul', 'ol']);

const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i;
const ALT = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** Converts HTML to plain text: lines and paragraphs, list items with a dash, and links followed by their URL. */
export function htmlToText(html: string): string {
  const text = new Lines();
  let at = 0;
  let link: { url: string; start: number } | undefined;
  while (at < html.length) {
    const { name, isClosing, ...tag } = nextTag(html, at);
    text.add(html.slice(at, tag.start));
    at = tag.end;
    if (INVISIBLE_ELEMENTS.has(name)) at = isClosing ? at : endOf(html, name, at);
    else if (name === 'img') text.add(ALT.exec(tag.text)?.slice(1).join('') ?? '');
    else if (name === 'a' && !isClosing) {
      const url = HREF.exec(tag.text)?.slice(1).join('');
      link = url ? { url, start: text.length } : undefined;
    } else if (name === 'a' && link) {
      const label = text.since(link.start);
      if (label !== link.url) text.add(label ? ` (${link.url})` : link.url);
      link = undefined;
    } else if (name === 'br') text.breakOnce();
    else if (PARAGRAPHS.has(name)) text.breakAtLeast(2);
    else if (LINES.has(name)) {
      text.breakAtLeast(1);
      if (name === 'li' && !isClosing) text.add('- ');
    }
  }
  return decodeEntities(text.toString());
}

/** Builds a text with single spaces between words, and at most one empty line in a row. */
class Lines {
  #pieces: string[] = [];
  #breaks = 0;
  #endsInSpace = true;
  /** Number of pieces so far. */
  length = 0;

  add(piece: string): void {
    let words = piece.replace(/[^\S\u00a0]+/g, ' ');
    if (this.#endsInSpace || this.#breaks > 0) words = words.replace(/^ /, '');
    if (words === '') return;
    if (this.#breaks > 0 && this.length > 0) this.#push('\n'.repeat(Math.min(this.#breaks, 2)));
    this.#breaks = 0;
    this.#push(words);
    this.#endsInSpace = words.endsWith(' ');
  }

  breakOnce(): void {
    this.#breaks += 1;
  }

  breakAtLeast(count: number): void {
    this.#breaks = Math.max(this.#breaks, count);
  }

  /** Returns the text added since there were `start` pieces. */
  since(start: number): string {
    return this.#pieces.slice(start).join('').trim();
  }

  toString(): string {
    return this.#pieces.join('').replaceAll(' \n', '\n').trim();
  }

  #push(piece: string): void {
    this.#pieces.push(piece);
    this.length += 1;
  }
}

interface Tag {
  /** Lowercase; empty for comments and the end of the text. */
  name: string;
  isClosing: boolean;
  text: string;
  start: number;
  end: number;
}

/** Finds the next tag in linear time. An unclosed tag is text. */
function nextTag(html: string, from: number): Tag {
  const nothing: Tag = { name: '', isClosing: false, text: '', start: html.length, end: html.length };
  let start = from - 1;
  for (;;) {
    start = html.indexOf('<', start + 1);
    if (start < 0) return nothing;
    const isComment = html.startsWith('<!--', start);
    const end = isComment ? html.indexOf('-->', start) + 2 : html.indexOf('>', start);
    if (end < start) return nothing;
    const [, slash, name = ''] = /^<(\/?)([a-z][a-z0-9]*)?/i.exec(html.slice(start, start + NAME_CHARS_MAX))!;
    if (name || html[start + 1] === '!') {
      const text = html.slice(start, end + 1);
      return { name: isComment ? '' : name.toLowerCase(), isClosing: slash === '/', text, start, end: end + 1 };
    }
  }
}

/** Longer than any element name. */
const NAME_CHARS_MAX = 24;

/** Returns the end of an element. An unclosed element extends to the end of the text. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\s*>`, 'ig');
  end.lastIndex = from;
  return end.test(html) ? end.lastIndex : html.length;
}

const NAMED: Record<string, string> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', shy: '\u00ad', euro: '€', copy: '©' },
  ...{ reg: '®', hellip: '…', ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„' },
  ...{ laquo: '«', raquo: '»', bull: '•', middot: '·', times: '×', deg: '°', auml: 'ä', ouml: 'ö', uuml: 'ü' },
  ...{ szlig: 'ß', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', agrave: 'à', aacute: 'á', acirc: 'â', aring: 'å', aelig: 'æ' },
  ...{ ccedil: 'ç', egrave: 'è', eacute: 'é', ecirc: 'ê', euml: 'ë', iacute: 'í', ntilde: 'ñ', oacute: 'ó' },
  ...{ oslash: 'ø', uacute: 'ú' },
};

/** Decodes numeric references and the names that are common in e-mails. Leaves unknown names unchanged. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (written, decimal, hexadecimal, name) => {
    if (name !== undefined) return own(NAMED, name) ?? written;
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
  });
}
