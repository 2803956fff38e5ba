/*
 * What a page hands to its script about a code that rotates. Both sides import this file, so it imports types alone.
 */
import type { CodeTerms } from '../../platform/one-time-code.ts';

/** A code that the page's script draws anew in each period. */
export interface RotatingCode extends CodeTerms {
  format: 'qr' | 'pdf417';
  /** What stands in front of the dot. */
  value: string;
  /** In hexadecimal. */
  key: string;
  /** The clock of the service when it sent the page, UTC milliseconds. */
  now: number;
}
