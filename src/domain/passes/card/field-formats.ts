import type { CardField } from './card.ts';

/* Formats of numbers and dates in texts for Google and in pictures. They match Apple Wallet's. */

/** Spelled-out numbers (`PKNumberStyleSpellOut`) have no counterpart in Intl; they show as digits. */
export function numberFormat({ currencyCode, numberStyle }: CardField): Intl.NumberFormatOptions {
  if (currencyCode) return { style: 'currency', currency: currencyCode };
  if (numberStyle === 'PKNumberStylePercent') return { style: 'percent', maximumFractionDigits: 2 };
  if (numberStyle === 'PKNumberStyleScientific') return { notation: 'scientific', maximumFractionDigits: 10 };
  return { maximumFractionDigits: 10 };
}

type Style = Intl.DateTimeFormatOptions['dateStyle'];
const STYLES: Record<string, Style> = {
  PKDateStyleShort: 'short',
  PKDateStyleMedium: 'medium',
  PKDateStyleLong: 'long',
  PKDateStyleFull: 'full',
};

/** Returns the format of a date field. If its styles show neither date nor time, both are shown. */
export function dateFormat(field: CardField): { dateStyle?: Style; timeStyle?: Style } {
  const styles = { dateStyle: STYLES[field.dateStyle ?? ''], timeStyle: STYLES[field.timeStyle ?? ''] };
  return styles.dateStyle || styles.timeStyle ? styles : { dateStyle: 'medium', timeStyle: 'short' };
}
