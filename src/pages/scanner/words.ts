import { de } from './words/de.ts';
import { en } from './words/en.ts';

/** The words of the scanner app in each of its languages. */
export const SCANNER_WORDS = { en, de };
