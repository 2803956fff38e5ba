import { expect, test } from 'vitest';
import { isLanguageCode } from '../../src/domain/fields.ts';

test.each([
  ['en', true],
  ['pt-BR', true],
  ['zh-Hant-TW', true],
  // The runtime accepts these; wallets and pages don't.
  ['EN', false],
  ['en-u-ca-gregory', false],
  ['english', false],
  ['en_US', false],
  ['en-aaaaaaaaa', false],
  ['', false],
])('isLanguageCode of "%s" is %s', (text, expected) => {
  expect(isLanguageCode(text)).toBe(expected);
});
