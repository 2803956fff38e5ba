import { de } from './words/de.ts';
import { en } from './words/en.ts';
import { es } from './words/es.ts';
import { fr } from './words/fr.ts';
import { it } from './words/it.ts';
import { nl } from './words/nl.ts';

/** Texts of the scanner app, in the languages of `PAGE_WORDS`. */
export const SCANNER_WORDS = { en, de, fr, es, it, nl };
