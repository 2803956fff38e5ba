import { expect, test } from 'vitest';
import type { CardField } from '../../../src/domain/passes/card/card.ts';
import { fieldText, readingOf, translated } from '../../../src/pages/card/field-text.ts';
import { sampleCard, sampleField } from '../../support/card.ts';

const NOW = Date.UTC(2026, 11, 24, 8, 0);
const SPACES = /[\u00a0\u202f]/g;

function read(value: string | number, more: Partial<CardField>, language = 'en'): string {
  const card = sampleCard('generic', { timezone: 'Europe/Berlin' });
  return fieldText(sampleField('key', 'Label', value, more), readingOf(card, language, NOW)).replace(SPACES, ' ');
}

test.each<[string, string | number, Partial<CardField>, string, string]>([
  ['a number', 1240.5, { type: 'number' }, 'en', '1,240.5'],
  ['a number', 1240.5, { type: 'number' }, 'de', '1.240,5'],
  ['a currency', 49.5, { type: 'currency', currencyCode: 'EUR' }, 'en', '€49.50'],
  ['a currency', 49.5, { type: 'currency', currencyCode: 'EUR' }, 'de', '49,50 €'],
  ['a currency without decimals', 1200, { type: 'currency', currencyCode: 'JPY' }, 'en', '¥1,200'],
  ['a number with a currency', 1.5, { type: 'number', currencyCode: 'EUR' }, 'en', '€1.50'],
  ['a number of many digits', 1.234567, { type: 'number' }, 'en', '1.234567'],
  ['a percentage', 0.255, { type: 'number', numberStyle: 'PKNumberStylePercent' }, 'fr', '25,5 %'],
  ['a number in scientific form', 1240, { type: 'number', numberStyle: 'PKNumberStyleScientific' }, 'en', '1.24E3'],
  ['text where a number was expected', 'many', { type: 'number' }, 'en', 'many'],
  ['text that is no date', 'soon', { type: 'date' }, 'en', 'soon'],
])('%s reads %s as %o in %s: %s', (_, value, field, language, text) => {
  expect(read(value, field, language)).toBe(text);
});

const NEW_YORK = '2026-12-24T20:30:00-05:00';

test('a date is shown in the account’s zone, or as it was written', () => {
  const styles = { dateStyle: 'PKDateStyleShort', timeStyle: 'PKDateStyleShort' };
  expect(read(NEW_YORK, { type: 'date', ...styles })).toBe('12/25/26, 2:30 AM');
  expect(read(NEW_YORK, { type: 'date', ...styles, ignoresTimezone: true })).toBe('12/24/26, 8:30 PM');
});

test('styles decide which parts of a date are shown', () => {
  const date = { type: 'date', ignoresTimezone: true } as const;
  expect(read(NEW_YORK, date, 'de')).toBe('24.12.2026, 20:30');
  expect(read(NEW_YORK, { ...date, dateStyle: 'PKDateStyleMedium' }, 'de')).toBe('24.12.2026');
  expect(read(NEW_YORK, { ...date, dateStyle: 'PKDateStyleFull' }, 'de')).toBe('Donnerstag, 24. Dezember 2026');
  expect(read(NEW_YORK, { ...date, dateStyle: 'PKDateStyleNone', timeStyle: 'PKDateStyleShort' }, 'de')).toBe('20:30');
});

test('a relative date counts from now', () => {
  const relative = { type: 'date', isRelative: true } as const;
  expect(read('2026-12-25T09:00:00+01:00', relative)).toBe('tomorrow');
  expect(read('2026-12-24T06:00:00Z', relative, 'de')).toBe('vor 2 Stunden');
  expect(read('2026-12-24T08:20:00Z', relative)).toBe('in 20 minutes');
});

test('texts use the closest available language, or stay untranslated', () => {
  const card = sampleCard('generic');
  expect(translated('Member', readingOf(card, 'de-AT', NOW))).toBe('Mitglied');
  expect(translated('Member', readingOf(card, 'fr', NOW))).toBe('Member');
  expect(translated('constructor', readingOf(card, 'de', NOW))).toBe('constructor');
  expect(readingOf(card, 'fr', NOW).textLanguage).toBe('en');
});
