import { describe, expect, test } from 'vitest';
import { isCurrentCode, totp } from '../../src/platform/totp.ts';

const KEY = new TextEncoder().encode('12345678901234567890');
const TERMS = { periodSeconds: 30, digits: 8 };

describe('RFC 6238, appendix B, SHA-1', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i s the code is %s', (seconds, code) => {
    expect(totp(KEY, seconds * 1_000, TERMS)).toBe(code);
  });
});

// RFC 4226, appendix D: its counter is the period's number here.
test('RFC 4226: codes of six digits', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'];
  const terms = { periodSeconds: 30, digits: 6 };
  expect(codes.map((_, period) => totp(KEY, period * 30_000, terms))).toEqual(codes);
});

test('a code is valid in its period and the adjacent ones', () => {
  const at = 1_111_111_110_000;
  const code = totp(KEY, at, TERMS);
  const seconds = [-61, -60.001, -30, -0.001, 0, 29.999, 30, 59.999, 60];
  const timely = seconds.filter((distance) => isCurrentCode(KEY, code, at + distance * 1_000, TERMS));
  expect(timely).toEqual([-30, -0.001, 0, 29.999, 30, 59.999]);
});
