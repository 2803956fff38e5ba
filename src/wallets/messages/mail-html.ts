import type { Card } from '../../domain/passes/card/card.ts';
import { escapeHtml } from '../../platform/html.ts';
import { type MailButton, mailDocument } from '../../platform/mail-layout.ts';
import type { MessageWords } from './words.ts';

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

/** Returns the complete e-mail: a card in the colors of the pass, with `content` (HTML) in it. */
export function mailHtml(content: string, frame: MailFrame): string {
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
