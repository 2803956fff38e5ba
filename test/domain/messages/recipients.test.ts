import { describe, expect, test } from 'vitest';
import { readEmailAddress, readPhoneNumber } from '../../../src/domain/messages/recipients.ts';

describe('an e-mail address', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Lovelace+tag@Example.COM ', 'Ada.Lovelace+tag@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ])('%j is %j', (text, address) => expect(readEmailAddress(text)).toBe(address));

  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example.com, eve@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'Ada <ada@example.com>',
    'ada@eve@example.com',
    'ada@example.com/x',
    'ada@example.com:25',
    'ada@[127.0.0.1]',
    'ada lovelace@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}.com`,
  ])('%j is not valid', (text) => expect(readEmailAddress(text)).toBeUndefined());
});

describe('a phone number', () => {
  test.each([
    ['+43 664 1234567', '+436641234567'],
    ['0043 (0)664/123-45.67', '+436641234567'],
    ['+1 (415) 555‑2671', '+14155552671'],
    [' +49\u00a0170 1234567 ', '+491701234567'],
  ])('%j is %j', (text, number) => expect(readPhoneNumber(text)).toBe(number));

  test.each(['', '0664 1234567', '+0664 1234567', '+43', '+1234567890123456', '+43 664 CALL', '+43+664123456', 'tel'])(
    '%j is not valid',
    (text) => expect(readPhoneNumber(text)).toBeUndefined(),
  );
});
