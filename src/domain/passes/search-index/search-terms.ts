import { type SQL, sql } from 'drizzle-orm';
import { hex } from '../../../platform/ids.ts';

/*
 * The index of terms (`pass_terms`, FTS5) has one row of words per pass: kind, scope, field code, encoded value. Values
 * are hexadecimal, so words sort as values do, share their prefixes, and never contain query syntax. The scope is an
 * account or a template, so a search never reads rows of others.
 */

/** Folds case and Unicode composition. Control characters become spaces. */
export function fold(text: string): string {
  // Lower, upper, lower equals full case folding in Unicode, except that a final sigma has its own lower-case form.
  const cased = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return cased.toWellFormed().normalize('NFC').replace(CONTROL_CHARACTERS, ' ');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate values in `content` and end them in grams
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

/** Returns the code of a field in words and documents: letters and digits, never a `z`. */
export function codeOf(name: string): string {
  return name.toLowerCase().replace('.', '');
}

/** Returns the part of an account's ID that words contain: 40 random bits. */
export function accountScope(accountId: string): string {
  return accountId.slice(-12, -2);
}

/** Returns the part of a template's ID that words contain: 54 random bits, enough to identify it. */
export function templateScope(templateId: string): string {
  return templateId.replaceAll('-', '').slice(-16, -2);
}

/** Same as SQL. */
export const templateScopeOf = (templateId: SQL): SQL => sql`substr(replace(${templateId}, '-', ''), -16, 14)`;

/** Word of every pass of an account. */
export const accountTerm = (accountId: string): string => `a${accountScope(accountId)}`;
/** Word of every pass of a template. */
export const templateTerm = (templateId: string): string => `t${templateScope(templateId)}`;
/** Same as SQL. */
export const templateTermOf = (templateId: SQL): SQL => sql`'t' || ${templateScopeOf(templateId)}`;
/** Word of a pass whose field has a value. */
export const presenceTerm = (scope: string, code: string): string => `p${scope}${code}`;
/** Word of a pass with more grams than are indexed. It may contain any phrase. */
export const overflowTerm = (scope: string): string => `l${scope}`;

/** Bytes of a text in its word. Longer texts share a word with others that begin alike. */
export const TERM_BYTES_MAX = 64;

/**
 * Bytes of generated IDs, few enough that hardly two share them: time, counter and 40 random bits. At least as many as
 * the order depends on (`ORDER_DIGITS_MAX`).
 */
const ID_BYTES_MAX = new Map([
  ['identifier', 18],
  ['generatedid', 8],
]);

/** Returns the maximum bytes of a field's texts in its words. Releases before 0.2.0 indexed more bytes of IDs. */
export function termBytesMax(code: string): number {
  return ID_BYTES_MAX.get(code) ?? TERM_BYTES_MAX;
}

/** Returns the word of a text value, or the prefix of the words that begin with it. */
export function textTerm(scope: string, code: string, folded: string): string {
  return `v${scope}${code}z${hexOf(folded).slice(0, 2 * termBytesMax(code))}`;
}

/** `number`: the value itself; `date`: UTC milliseconds. */
export type PointKind = 'number' | 'date';

/**
 * Numbers and dates are indexed in four precisions, so that a broad range needs few words: all 16 digits, the first 8
 * (17 minutes of a date in this century), the first 6 (three days) and the first 4 (two years).
 */
export const POINT_PRECISIONS = [16, 8, 6, 4] as const;
export type PointPrecision = (typeof POINT_PRECISIONS)[number];

const POINT_LETTERS: Record<PointKind, Record<PointPrecision, string>> = {
  number: { 16: 'n', 8: 'm', 6: 'k', 4: 'j' },
  date: { 16: 'd', 8: 'r', 6: 's', 4: 'y' },
};

/** Returns the word of a number or date. `digits` has the length of the precision, or fewer for a prefix of words. */
export function pointTerm(
  kind: PointKind,
  precision: PointPrecision,
  scope: string,
  code: string,
  digits: string,
): string {
  return `${POINT_LETTERS[kind][precision]}${scope}${code}z${digits.slice(0, precision)}`;
}

/** Returns a number as 64 bits that sort as numbers do. */
export function pointBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigUint64(0);
  const sign = 1n << 63n;
  return bits & sign ? ~bits & (2n * sign - 1n) : bits | sign;
}

/** Returns the number of `pointBits`. */
export function pointOfBits(bits: bigint): number {
  const sign = 1n << 63n;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits & sign ? bits & (sign - 1n) : ~bits & (2n * sign - 1n));
  return view.getFloat64(0);
}

/** Returns the 16 hexadecimal digits of `pointBits`. */
export function pointDigits(bits: bigint): string {
  return bits.toString(16).padStart(16, '0');
}

export const GRAM_CHARS = 3;
/** Padding after the end of a value; never part of a folded text. */
export const END = '\u0001';

/**
 * Returns the words of a text's grams: one for the three characters from each position, padded at the end. A phrase of
 * one or two characters is thus the prefix of a word.
 */
export function gramTerms(scope: string, folded: string): string[] {
  const chars = hexChars(folded);
  const end = hexOf(END);
  return chars.map((char, i) => `g${scope}${char}${chars[i + 1] ?? end}${chars[i + 2] ?? end}`);
}

/** Returns the words that a value has if it contains the phrase, without the padded ones at the end. */
export function innerGramTerms(scope: string, folded: string): string[] {
  return gramTerms(scope, folded).slice(0, 1 - GRAM_CHARS);
}

/** Returns the prefix of the words of all grams that begin with a phrase of one or two characters. */
export function gramPrefix(scope: string, folded: string): string {
  return `g${scope}${hexOf(folded)}`;
}

const encoder = new TextEncoder();

/** Returns UTF-8 in hexadecimal. */
export function hexOf(text: string): string {
  return hex(encoder.encode(text));
}

function hexChars(text: string): string[] {
  return Array.from(text, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x80 ? (code + 0x100).toString(16).slice(1) : hexOf(char);
  });
}
