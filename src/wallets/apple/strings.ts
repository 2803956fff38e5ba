import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Card, CardTexts } from '../../domain/passes/card/card.ts';
import { own } from '../../platform/own.ts';

/** `pass.strings` of each language, by folder name without `.lproj`. */
export type PassStrings = Map<string, Uint8Array>;

/** The translated texts of a card, or of its template. */
type TranslatedTexts = Pick<Card, 'translations' | 'locations' | 'language'>;

/** A file of a pass with what manifest and archive say of it. */
export interface StringsFile {
  name: string;
  language: string;
  bytes: Uint8Array;
  /** Lower-case hexadecimal. */
  sha1: string;
  crc32: number;
}

/** By the translations of a card: the same object for all passes of a definition whose texts have no placeholders. */
const kept = new WeakMap<Card['translations'], { of: string; files: StringsFile[] }>();

/** The files of `passStrings`; of passes that share their translations, they are made once. */
export function passStringsFiles(card: Card): StringsFile[] {
  const places = locationTexts(card);
  const of = places.length === 0 ? card.language : JSON.stringify([card.language, places]);
  const known = kept.get(card.translations);
  if (known?.of === of) return known.files;
  const files = [...passStrings(card)].map(([language, bytes]) => ({
    name: `${language}.lproj/pass.strings`,
    language,
    bytes,
    sha1: hash('sha1', bytes),
    crc32: crc32(bytes),
  }));
  kept.set(card.translations, { of, files });
  return files;
}

/**
 * The translations of a card as Apple reads them, `<language>.lproj/pass.strings`. Each language has the same keys
 * (Apple, Wallet Passes): a text without translation stands for itself, and the card's own language has a file too, or
 * devices set to it would show some other one. Empty without translations.
 */
export function passStrings(card: TranslatedTexts): PassStrings {
  const tables = new Map<string, CardTexts>(Object.entries(card.translations));
  for (const { text, translations } of locationTexts(card)) {
    for (const [language, translation] of Object.entries(translations))
      tables.set(language, {
        [text]: translation,
        ...tables.get(language),
      });
  }
  if (tables.size === 0) return new Map();
  if (!tables.has(card.language)) tables.set(card.language, {});
  const keys = new Set([...tables.values()].flatMap(Object.keys));
  return new Map([...tables].map(([language, texts]) => [language, stringsFile(keys, texts)]));
}

/**
 * The text that a location shows and that is the key of its translations: its own, or else the one in the card's
 * language, or any. Undefined for a location without text.
 */
export function locationText(location: Card['locations'][number], language: string): string | undefined {
  const localized = location.localizedRelevantText ?? {};
  return location.relevantText || own(localized, language) || Object.values(localized)[0] || undefined;
}

function locationTexts(card: TranslatedTexts): { text: string; translations: Record<string, string> }[] {
  return card.locations.flatMap((location) => {
    const text = locationText(location, card.language);
    const translations = location.localizedRelevantText;
    return text && translations ? [{ text, translations }] : [];
  });
}

function stringsFile(keys: Iterable<string>, texts: CardTexts): Uint8Array {
  let file = '';
  for (const key of keys) {
    file += `${quote(key)} = ${quote(own(texts, key) || key)};\n`;
  }
  return encode(file);
}

const ESCAPES: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function quote(text: string): string {
  return `"${text.replace(/["\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}"`;
}

/** ASCII as it is; other text in UTF-16 with a byte order mark, as Apple asks (Apple, Wallet Passes). */
function encode(text: string): Uint8Array {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return new TextEncoder().encode(text);
  const out = new DataView(new ArrayBuffer(2 + text.length * 2));
  out.setUint16(0, 0xfeff, true);
  for (let i = 0; i < text.length; i++) out.setUint16(2 + i * 2, text.charCodeAt(i), true);
  return new Uint8Array(out.buffer);
}
