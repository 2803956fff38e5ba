import type { Card, CardField, CardTexts } from '../../domain/passes/card/card.ts';
import { dateFormat, numberFormat } from '../../domain/passes/card/field-formats.ts';
import { own } from '../../platform/own.ts';
import { matchLanguage } from '../language.ts';

/**
 * What a card's texts are shown with: the visitor's language, the translations for it, and the zone and time of
 * reading.
 */
export interface Reading {
  /** Language of numbers and dates. */
  language: string;
  /** Language that the texts are in: `language`, or the card's own where it is not translated. */
  textLanguage: string;
  texts: CardTexts;
  timezone: string;
  /** UTC milliseconds; relative dates count from it. */
  now: number;
}

/** How a visitor of `language` reads a card at `now` (UTC milliseconds). */
export function readingOf(card: Card, language: string, now: number): Reading {
  const code = matchLanguage(language, [card.language, ...Object.keys(card.translations)]);
  const texts = (code && card.translations[code]) || {};
  return { language, textLanguage: code ?? card.language, texts, timezone: card.timezone, now };
}

/** A text of the card in the reader's language; as it stands where there is no translation. */
export function translated(text: string, { texts }: Reading): string {
  return own(texts, text) ?? text;
}

/** A field's value as the reader sees it: numbers, currencies and dates in the form of the language. */
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

/** Undefined when the value is no date. */
function dateText(value: string, field: CardField, reading: Reading): string | undefined {
  const utc = Date.parse(value);
  if (Number.isNaN(utc)) return undefined;
  if (field.isRelative) return relativeText(utc, reading);
  const offset = field.ignoresTimezone ? offsetMs(value) : undefined;
  const zone = offset === undefined ? reading.timezone : 'UTC';
  const format = new Intl.DateTimeFormat(reading.language, { ...dateFormat(field), timeZone: zone });
  return format.format(utc + (offset ?? 0));
}

/**
 * Offset that an ISO 8601 text names, in milliseconds; a date that ignores the time zone is shown as it was written.
 */
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
