import { expect, test } from 'vitest';
import { ACCOUNT_LANGUAGES } from '../../../src/domain/accounts/create-account.ts';
import { PAGE_WORDS } from '../../../src/pages/download/words.ts';
import { messageWords } from '../../../src/wallets/messages/words.ts';

test('e-mails are in every language of the pages, with the same names of the wallets', () => {
  expect([...ACCOUNT_LANGUAGES].sort()).toEqual(Object.keys(PAGE_WORDS).sort());
  for (const language of ACCOUNT_LANGUAGES) {
    const { lang, addToApple, addToGoogle } = PAGE_WORDS[language]!;
    expect(messageWords(language)).toMatchObject({ lang, addToApple, addToGoogle });
  }
});

test('no text of an e-mail is the same in two languages, except for the names of wallets', () => {
  for (const text of ['open', 'attached', 'pin', 'blocked', 'page'] as const) {
    const texts = ACCOUNT_LANGUAGES.map((language) => messageWords(language)[text]);
    expect(new Set(texts).size).toBe(ACCOUNT_LANGUAGES.length);
  }
});

test('e-mails of an account with another language are in English', () => {
  expect(messageWords('xx').lang).toBe('en');
  expect(messageWords('constructor').lang).toBe('en');
});
