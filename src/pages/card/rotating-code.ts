/*
 * Data about a rotating code that a page passes to its script. Both sides import this file, so it imports only types.
 */
import type { CodeTerms } from '../../platform/one-time-code.ts';

/** A code that the page's script redraws in each period. */
export interface RotatingCode extends CodeTerms {
  format: 'qr' | 'pdf417';
  /** The value before the dot. */
  value: string;
  /** Hexadecimal. */
  key: string;
  /** Time on the service's clock when it sent the page, UTC milliseconds. */
  now: number;
}
