import type { CardField } from '../../domain/passes/card/card.ts';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';

/*
 * Font sizes of a card's texts. Wallets measure the texts; a page without a script counts their characters. The counts
 * are for a card on a phone, where it is narrowest.
 */

/** Width of a character in a label, relative to one in a value. */
const LABEL_CHAR_WIDTH = 0.75;
/** Widths of capital letters and ideographs, relative to a lowercase letter. */
const CAPITAL_WIDTH = 1.3;
const WIDE_CHAR_WIDTH = 1.9;
const WIDE_CHARS = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/g;

/** Returns the width of the longest word, in lowercase letters. Lines break between words. */
export const longestWord = (text: string): number => Math.max(...text.split(/\s+|(?<=[-–/])/).map(width));

function width(text: string): number {
  const more = (chars: RegExp, width: number) => (text.match(chars)?.length ?? 0) * (width - 1);
  return text.length + more(/\p{Lu}/gu, CAPITAL_WIDTH) + more(WIDE_CHARS, WIDE_CHAR_WIDTH);
}

/** Approximate number of characters on one line of a row. */
const ROW_CHARS_MAX = 28;

/** Returns the class of a row. A long row gets a smaller font, as in wallets, which do that before they truncate. */
export function rowClass(fields: CardField[], drawing: CardDrawing): string {
  return classes('card-row', total(fields, drawing, width) > ROW_CHARS_MAX && 'dense');
}

/** Longer words in the logo text get a smaller font and break. */
export const LOGO_WORD_MAX = 14;

/** Characters that fit beside the logo: in the regular font, and in the smaller one with one line for each word. */
const HEADER_CHARS_MAX = 14;
const HEADER_WORD_CHARS_MAX = 22;

/** Returns the class of the header fields. They stay in one row unless that breaks a word. */
export function headerClass(fields: CardField[], drawing: CardDrawing): string {
  const dense = total(fields, drawing, width) > HEADER_CHARS_MAX;
  const breaks = total(fields, drawing, longestWord) > HEADER_WORD_CHARS_MAX;
  return classes('card-header-fields', dense && 'dense', breaks && 'breaks');
}

/**
 * For each font size, the maximum length of the longest words of origin and destination together. Words beyond the last
 * one break.
 */
const ROUTE_STEPS = [10, 14, 18, 23, 31];
/** A longer name wraps to several lines, and gets the font of step 3 or a smaller one. */
const ROUTE_NAME_CHARS_MAX = 16;

/** Returns the class of the route. Origin and destination share the largest font size in which no word breaks. */
export function routeClass(fields: CardField[], { reading }: CardDrawing): string {
  const names = fields.map((field) => fieldText(field, reading));
  const chars = names.reduce((sum, name) => sum + longestWord(name), 0);
  const found = ROUTE_STEPS.findIndex((max) => chars <= max);
  const last = ROUTE_STEPS.length - 1;
  const fitting = found === -1 ? last : found;
  const step = names.some((name) => width(name) > ROUTE_NAME_CHARS_MAX) ? Math.max(fitting, 3) : fitting;
  return classes('card-route', step > 0 && `step-${step}`, found === -1 && 'breaks');
}

function total(fields: CardField[], { reading }: CardDrawing, measure: (text: string) => number): number {
  return fields.reduce((sum, field) => {
    const label = measure(translated(field.label, reading)) * LABEL_CHAR_WIDTH;
    return sum + Math.max(measure(fieldText(field, reading)), label);
  }, 0);
}

export const classes = (...names: (string | false)[]): string => names.filter(Boolean).join(' ');
