import { type SQL, sql } from 'drizzle-orm';
import { hex } from '../../../platform/ids.ts';

/*
 * The index of terms (`pass_terms`, FTS5) has one row of words per pass: kind, scope, field code, encoded value. Values
 * are hexadecimal, so words sort and begin as values do, and a caller's text is never syntax. The scope is an account
 * or a template, so a search never reads rows of others.
 */

/** Without regard to case and to how marks are composed; control characters count as spaces. */
export function fold(text: string): string {
  // Lower, upper, lower: what Unicode calls full case folding, except that a final sigma has a form of its own in lower
  // case.
  const cased = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return cased.toWellFormed().normalize('NFC').replace(CONTROL_CHARACTERS, ' ');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they separate values in `content` and end them in grams
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

/** The code of a field in words and documents: letters and digits, never a `z`. */
export function codeOf(name: string): string {
  return name.toLowerCase().replace('.', '');
}

/** The part of an account's identifier that stands in words: 40 random bits. */
export function accountScope(accountId: string): string {
  return accountId.slice(-12, -2);
}

/** The part of a template's identifier that stands in words: 54 random bits, so that a word alone decides. */
export function templateScope(templateId: string): string {
  return templateId.replaceAll('-', '').slice(-16, -2);
}

/** The same as SQL. */
export const templateScopeOf = (templateId: SQL): SQL => sql`substr(replace(${templateId}, '-', ''), -16, 14)`;

/** The word that every pass of an account has. */
export const accountTerm = (accountId: string): string => `a${accountScope(accountId)}`;
/** The word that every pass of a template has. */
export const templateTerm = (templateId: string): string => `t${templateScope(templateId)}`;
/** The same as SQL. */
export const templateTermOf = (templateId: SQL): SQL => sql`'t' || ${templateScopeOf(templateId)}`;
/** The word of a pass whose field has a value. */
export const presenceTerm = (scope: string, code: string): string => `p${scope}${code}`;
/** The word of a pass whose account has passes with more grams than are indexed; it may contain anything. */
export const overflowTerm = (scope: string): string => `l${scope}`;

/** Bytes of a text that are indexed as its value; longer texts share a word with others that begin alike. */
export const TERM_BYTES_MAX = 64;

/**
 * Of identifiers that the service makes, as many as hardly two begin with: time and counter, and 40 random bits. Not
 * fewer than order is decided by (`ORDER_DIGITS_MAX`).
 */
const ID_BYTES_MAX = new Map([
  ['identifier', 18],
  ['generatedid', 8],
]);

/** Bytes of a field's texts that are indexed as its values. Releases before 0.2.0 indexed more of identifiers. */
export function termBytesMax(code: string): number {
  return ID_BYTES_MAX.get(code) ?? TERM_BYTES_MAX;
}

/** The word of a text value, or the beginning of those that begin with it. */
export function textTerm(scope: string, code: string, folded: string): string {
  return `v${scope}${code}z${hexOf(folded).slice(0, 2 * termBytesMax(code))}`;
}

/** `number`: the value itself; `date`: UTC milliseconds. */
export type PointKind = 'number' | 'date';

/**
 * Numbers and dates are indexed in four precisions, so that a broad range is few words: by all 16 digits, by the first
 * 8 (17 minutes of a date in this century), the first 6 (three days) and the first 4 (two years).
 */
export const POINT_PRECISIONS = [16, 8, 6, 4] as const;
export type PointPrecision = (typeof POINT_PRECISIONS)[number];

const POINT_LETTERS: Record<PointKind, Record<PointPrecision, string>> = {
  number: { 16: 'n', 8: 'm', 6: 'k', 4: 'j' },
  date: { 16: 'd', 8: 'r', 6: 's', 4: 'y' },
};

/** `digits` are those of the precision, or the first of them for the beginning of words. */
export function pointTerm(
  kind: PointKind,
  precision: PointPrecision,
  scope: string,
  code: string,
  digits: string,
): string {
  return `${POINT_LETTERS[kind][precision]}${scope}${code}z${digits.slice(0, precision)}`;
}

/** A number as 64 bits that sort as numbers do. */
export function pointBits(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value === 0 ? 0 : value);
  const bits = view.getBigUint64(0);
  const sign = 1n << 63n;
  return bits & sign ? ~bits & (2n * sign - 1n) : bits | sign;
}

/** The number of `pointBits`. */
export function pointOfBits(bits: bigint): number {
  const sign = 1n << 63n;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits & sign ? bits & (sign - 1n) : ~bits & (2n * sign - 1n));
  return view.getFloat64(0);
}

/** 16 hexadecimal digits of `pointBits`. */
export function pointDigits(bits: bigint): string {
  return bits.toString(16).padStart(16, '0');
}

export const GRAM_CHARS = 3;
/** Stands in the place of characters behind the end of a value; never part of a folded text. */
export const END = '\u0001';

/**
 * The words of the grams of a text: one for the three characters that begin at each of its characters, filled up behind
 * its end. A phrase of one or two characters is thus the beginning of a word.
 */
export function gramTerms(scope: string, folded: string): string[] {
  const chars = hexChars(folded);
  const end = hexOf(END);
  return chars.map((char, i) => `g${scope}${char}${chars[i + 1] ?? end}${chars[i + 2] ?? end}`);
}

/** The words of a value that contains the phrase; of its last characters only if it is long enough. */
export function innerGramTerms(scope: string, folded: string): string[] {
  return gramTerms(scope, folded).slice(0, 1 - GRAM_CHARS);
}

/** Beginning of the words of all grams that begin with a phrase of one or two characters. */
export function gramPrefix(scope: string, folded: string): string {
  return `g${scope}${hexOf(folded)}`;
}

const encoder = new TextEncoder();

/** UTF-8 in hexadecimal. */
export function hexOf(text: string): string {
  return hex(encoder.encode(text));
}

function hexChars(text: string): string[] {
  return Array.from(text, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x80 ? (code + 0x100).toString(16).slice(1) : hexOf(char);
  });
}
