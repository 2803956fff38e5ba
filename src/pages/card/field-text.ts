import { type Card, type CardField, type CardTexts, dateFormat, numberFormat } from '../../domain/passes/card/card.ts';
import { own } from '../../platform/json.ts';
import { matchLanguage } from '../language.ts';

/** Context for a card's texts: the visitor's language, its translations, the time zone and the current time. */
export interface Reading {
  /** Language of numbers and dates. */
  language: string;
  /** Language of the texts: `language`, or the card's own language if there is no translation. */
  textLanguage: string;
  texts: CardTexts;
  timezone: string;
  /** UTC milliseconds. Relative dates are based on it. */
  now: number;
}

/** Returns the context for a visitor of `language` at `now` (UTC milliseconds). */
export function readingOf(card: Card, language: string, now: number): Reading {
  const code = matchLanguage(language, [card.language, ...Object.keys(card.translations)]);
  const texts = (code && card.translations[code]) || {};
  return { language, textLanguage: code ?? card.language, texts, timezone: card.timezone, now };
}

/** Returns the translation of a card's text, or the text itself without a translation. */
export const translated = (text: string, { texts }: Reading): string => own(texts, text) ?? text;

/** Returns a field's value as shown: numbers, currencies and dates in the format of the language. */
export function fieldText(field: CardField, reading: Reading): string {
  if (typeof field.value === 'number') return numberText(field.value, field, reading.language);
  if (field.type === 'date') {
    const text = dateText(field.value, field, reading);
    if (text !== undefined) return text;
  }
  return translated(field.value, reading);
}

function numberText(value: number, field: CardField, language: string): string {
  return new Intl.NumberFormat(language, numberFormat(field)).format(value);
}

/** Returns undefined if the value is not a date. */
function dateText(value: string, field: CardField, reading: Reading): string | undefined {
  const utc = Date.parse(value);
  if (Number.isNaN(utc)) return undefined;
  if (field.isRelative) return relativeText(utc, reading);
  const offset = field.ignoresTimezone ? offsetMs(value) : undefined;
  const zone = offset === undefined ? reading.timezone : 'UTC';
  const format = new Intl.DateTimeFormat(reading.language, { ...dateFormat(field), timeZone: zone });
  return format.format(utc + (offset ?? 0));
}

/** Returns the offset of an ISO 8601 text in milliseconds. A date that ignores the time zone is shown as written. */
function offsetMs(iso: string): number {
  const match = /([+-])(\d{2}):?(\d{2})$/.exec(iso);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return (match[1] === '-' ? -minutes : minutes) * 60_000;
}

const MINUTE_MS = 60_000;
const RELATIVE_UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 60 * MINUTE_MS],
  ['month', 30 * 24 * 60 * MINUTE_MS],
  ['week', 7 * 24 * 60 * MINUTE_MS],
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
];

function relativeText(utc: number, { language, now }: Reading): string {
  const distance = utc - now;
  const [unit, size] = RELATIVE_UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['minute', MINUTE_MS];
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(Math.round(distance / size), unit);
}
