import { createHmac } from 'node:crypto';
import { type CodeTerms, codeOf, counterBytes, periodAt } from './one-time-code.ts';

/** Returns the one-time code at a time (UTC milliseconds): RFC 6238 with HMAC-SHA-1. */
export function totp(key: Uint8Array, millis: number, terms: CodeTerms): string {
  return codeInPeriod(key, periodAt(millis, terms), terms);
}

/** Returns whether a code belongs to the period of a time, or to the period before or after it. */
export function isCurrentCode(key: Uint8Array, code: string, millis: number, terms: CodeTerms): boolean {
  const now = periodAt(millis, terms);
  return [now, now - 1, now + 1].some((period) => period >= 0 && codeInPeriod(key, period, terms) === code);
}

function codeInPeriod(key: Uint8Array, period: number, terms: CodeTerms): string {
  return codeOf(createHmac('sha1', key).update(counterBytes(period)).digest(), terms);
}
