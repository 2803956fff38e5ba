import { type Card, type CardField, type CardTexts, dateFormat, numberFormat } from '../../domain/passes/card/card.ts';
import { formatIso } from '../../platform/dates.ts';
import { own } from '../../platform/json.ts';

/** Google's form of a text with translations. */
export interface LocalizedString {
  defaultValue: { language: string; value: string };
  translatedValues?: { language: string; value: string }[];
}

/** Returns a text in all languages of the card. Omits languages whose text is the same as the default. */
export function localized(card: Card, text: string): LocalizedString {
  return inEachLanguage(card, (_, texts) => own(texts, text) ?? text);
}

/** Returns a field's value in all languages of the card, with numbers and dates formatted for each language. */
export function localizedValue(card: Card, field: CardField): LocalizedString {
  return inEachLanguage(card, (language, texts) => valueText(card, field, language, texts));
}

/**
 * Returns the translations for members where Google has a plain text and its translations separately; undefined if
 * there are none.
 */
export function translationsOf(text: LocalizedString): LocalizedString | undefined {
  return text.translatedValues ? text : undefined;
}

function inEachLanguage(card: Card, render: (language: string, texts: CardTexts) => string): LocalizedString {
  const { language, translations } = card;
  const value = render(language, own(translations, language) ?? {});
  const translatedValues = Object.entries(translations)
    .map(([other, texts]) => ({ language: other, value: render(other, texts) }))
    .filter((translated) => translated.language !== language && translated.value !== value);
  return { defaultValue: { language, value }, ...(translatedValues.length > 0 && { translatedValues }) };
}

function valueText(card: Card, field: CardField, language: string, texts: CardTexts): string {
  if (typeof field.value === 'number')
    return new Intl.NumberFormat(locale(language), numberFormat(field)).format(field.value);
  if (field.type === 'date') return dateText(card, field, field.value, locale(language));
  return own(texts, field.value) ?? field.value;
}

/** Formats a date in the card's zone, or in its own local time (`ignoresTimezone`). Leaves other texts unchanged. */
function dateText(card: Card, field: CardField, value: string, language: string): string {
  const clock = field.ignoresTimezone ? value.replace(/(Z|[+-]\d{2}:\d{2})$/, 'Z') : value;
  const date = new Date(clock);
  if (Number.isNaN(date.getTime())) return value;
  const timeZone = field.ignoresTimezone ? 'UTC' : card.timezone;
  return new Intl.DateTimeFormat(language, { ...dateFormat(field), timeZone }).format(date);
}

/** Returns a language for Intl. A code that is well-formed for us but not for Intl becomes English. */
function locale(language: string): string {
  try {
    return new Intl.Locale(language).toString();
  } catch {
    return 'en';
  }
}

/** Formats UTC milliseconds as Google's `DateTime`, with the offset of the card's zone. */
export function dateTime(card: Card, millis: number): string {
  return formatIso(millis, card.timezone);
}
