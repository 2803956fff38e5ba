import { describe, expect, test } from 'vitest';
import { smsLength } from '../../src/platform/sms.ts';

describe('the length of an SMS', () => {
  test.each([
    ['a'.repeat(160), 'GSM-7', 1],
    ['a'.repeat(161), 'GSM-7', 2],
    ['a'.repeat(306), 'GSM-7', 2],
    ['a'.repeat(307), 'GSM-7', 3],
    ['€'.repeat(80), 'GSM-7', 1],
    ['€'.repeat(81), 'GSM-7', 2],
    ['Grüße à Ø Ω {x}', 'GSM-7', 1],
    ['я'.repeat(70), 'UCS-2', 1],
    ['я'.repeat(71), 'UCS-2', 2],
    ['😀'.repeat(36), 'UCS-2', 2],
    ['', 'GSM-7', 1],
  ])('of %s is %s in %i parts', (text, encoding, segments) => {
    expect(smsLength(text)).toEqual({ encoding, segments });
  });
});
