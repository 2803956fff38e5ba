import type { CardField } from '../../domain/passes/card/card.ts';
import type { CardDrawing } from './drawing.ts';
import { fieldText, translated } from './field-text.ts';

/*
 * How large the texts of a card are set: a wallet measures them, a page that is sent without a script counts their
 * characters. Counts are those of a card on a phone, where it is narrowest.
 */

/** Width of a label's character as a share of a value's. */
const LABEL_CHAR_WIDTH = 0.75;
/** Width of a capital, and of an ideograph, as a share of a small letter. */
const CAPITAL_WIDTH = 1.3;
const WIDE_CHAR_WIDTH = 1.9;
const WIDE_CHARS = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]/g;

/** Small letters that are as wide as a text's longest word: lines break between words. */
export function longestWord(text: string): number {
  return Math.max(...text.split(/\s+|(?<=[-–/])/).map(width));
}

function width(text: string): number {
  const more = (chars: RegExp, width: number) => (text.match(chars)?.length ?? 0) * (width - 1);
  return text.length + more(/\p{Lu}/gu, CAPITAL_WIDTH) + more(WIDE_CHARS, WIDE_CHAR_WIDTH);
}

/** About as many characters as fit on one line of a row. */
const ROW_CHARS_MAX = 28;

/** A row with much to say is set smaller, as wallets do before they cut. */
export function rowClass(fields: CardField[], drawing: CardDrawing): string {
  return classes('card-row', total(fields, drawing, width) > ROW_CHARS_MAX && 'dense');
}

/** A longer word of the logo's text is set smaller and breaks. */
export const LOGO_WORD_MAX = 14;

/**
 * As many characters as fit beside the logo: in the size of a row, and in the smaller one with a line for each word.
 */
const HEADER_CHARS_MAX = 14;
const HEADER_WORD_CHARS_MAX = 22;

/** Header fields stand in one row as long as that breaks no word. */
export function headerClass(fields: CardField[], drawing: CardDrawing): string {
  const dense = total(fields, drawing, width) > HEADER_CHARS_MAX;
  const breaks = total(fields, drawing, longestWord) > HEADER_WORD_CHARS_MAX;
  return classes('card-header-fields', dense && 'dense', breaks && 'breaks');
}

/**
 * The longest words of origin and destination together, up to which each size has room for both; beyond the last one
 * they break.
 */
const ROUTE_STEPS = [10, 14, 18, 23, 31];
/** A longer name takes several lines, and is not set larger than the third step for it. */
const ROUTE_NAME_CHARS_MAX = 16;

/** Origin and destination are set in one size, in which no word of them breaks. */
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

export function classes(...names: (string | false)[]): string {
  return names.filter(Boolean).join(' ');
}
