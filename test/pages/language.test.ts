import { expect, test } from 'vitest';
import { isLanguageCode } from '../../src/domain/fields.ts';
import { languageName, matchLanguage, negotiateLanguage, textDirection } from '../../src/pages/language.ts';

test.each([
  ['en', true],
  ['pt-BR', true],
  ['gsw', true],
  ['EN', false],
  ['p', false],
  ['english', false],
  ['de_AT', false],
  ['de-a', false],
  ['en-a1', false],
  ['de-DE-DE', false],
  ['zh-min-nan', false],
])('%s as a language prefix: %s', (code, expected) => {
  expect(isLanguageCode(code)).toBe(expected);
});

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', ['en', 'de'], 'de'],
  ['en;q=0.3, fr;q=0.7', ['en', 'fr'], 'fr'],
  ['pt', ['en', 'pt-BR'], 'pt-BR'],
  ['pt-PT', ['pt-BR', 'pt'], 'pt'],
  ['fr;q=0, *', ['en', 'fr'], undefined],
  [undefined, ['en'], undefined],
])('%s among %j is %s', (header, available, expected) => {
  expect(negotiateLanguage(header, available)).toBe(expected);
});

test('a match ignores case', () => {
  expect(matchLanguage('PT-br', ['en', 'pt-BR'])).toBe('pt-BR');
});

test('languages name themselves and know their direction', () => {
  expect([languageName('de'), languageName('fr')]).toEqual(['Deutsch', 'Français']);
  expect(languageName('en-a1')).toBe('en-a1');
  expect([textDirection('ar-EG'), textDirection('de')]).toEqual(['rtl', 'ltr']);
});
