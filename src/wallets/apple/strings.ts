import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { LANGUAGES_MAX, TRANSLATED_CHARS_MAX } from '../../domain/limits.ts';
import type { Card, CardTexts } from '../../domain/passes/card/card.ts';
import { own } from '../../platform/own.ts';

/** `pass.strings` of each language, by its folder name without `.lproj`. */
export type PassStrings = Map<string, Uint8Array>;

/** Translated texts of a card or template. */
type TranslatedTexts = Pick<Card, 'translations' | 'locations' | 'language'>;

/** A file of a pass with its facts for the manifest and the archive. */
export interface StringsFile {
  name: string;
  language: string;
  bytes: Uint8Array;
  /** Lowercase hexadecimal. */
  sha1: string;
  crc32: number;
}

/**
 * Cached by the `translations` object of a card, which all passes of a definition share if its texts have no
 * placeholders.
 */
const kept = new WeakMap<Card['translations'], { of: string; files: StringsFile[] }>();

/** The memory of a definition's files counts for its cache. Texts of places come on top and can be those of a pass. */
const KEPT_BYTES_MAX = 64 * 1024;
const sizeOf = (files: { bytes: Uint8Array }[]) => files.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Returns the files of `passStrings`. They are created once for all passes with the same translations. */
export function passStringsFiles(card: Card): StringsFile[] {
  const places = locationTexts(card).filter(({ localized }) => localized[0]);
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
  if (places.length === 0 || sizeOf(files) <= KEPT_BYTES_MAX) kept.set(card.translations, { of, files });
  return files;
}

/**
 * Returns the translations of a card in Apple's format, `<language>.lproj/pass.strings`. All languages have the same
 * keys (Apple, Wallet Passes): an untranslated text is its own translation. The card's own language also gets a file,
 * or devices set to it would show another language. Empty without translations. Leaves out languages beyond the limits.
 */
export function passStrings(card: TranslatedTexts): PassStrings {
  const tables = new Map<string, CardTexts>(Object.entries(card.translations));
  for (const { text, localized } of locationTexts(card)) {
    for (const [language, translation] of localized)
      tables.set(language, { [text!]: translation, ...tables.get(language) });
  }
  if (tables.size === 0) return new Map();
  const shown = new Map([...tables].slice(0, LANGUAGES_MAX));
  shown.set(card.language, tables.get(card.language) ?? {});
  const keys = new Set([...shown.values()].flatMap(Object.keys));
  const files: PassStrings = new Map();
  let room = FILES_BYTES_MAX;
  for (const [language, texts] of shown) {
    const file = stringsFile(keys, texts);
    room -= file.length;
    if (room < 0) break;
    files.set(language, file);
  }
  return files;
}

/** Bytes of all files together: more than those of any valid template. */
const FILES_BYTES_MAX = 16 * TRANSLATED_CHARS_MAX;

/**
 * Returns the text of a location, which is also the key of its translations: its own, the one in the card's language,
 * or any. Undefined for a location without text.
 */
export function locationText(location: Card['locations'][number], language: string): string | undefined {
  const localized = location.localizedRelevantText ?? {};
  return location.relevantText || own(localized, language) || Object.values(localized)[0] || undefined;
}

/**
 * Returns each location's text as in pass.json, and its translations. A key has one translation in each language. So a
 * text that is translated differently elsewhere ends in invisible characters here.
 */
export function locationTexts({ locations, translations, language }: TranslatedTexts) {
  const known: Record<string, string> = {};
  return locations.map((location) => {
    let text = locationText(location, language);
    const localized = Object.entries((text && location.localizedRelevantText) || {});
    const differs = ([to, translation]: [string, string]) =>
      (known[to + text!] || translations[to]?.[text!] || translation) !== translation;
    while (localized.some(differs)) text += '\u200b';
    for (const [to, translation] of localized) known[to + text!] = translation;
    return { text, localized };
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

/**
 * Encodes ASCII unchanged and other text as UTF-16 with a byte order mark, as Apple requires (Apple, Wallet Passes).
 */
function encode(text: string): Uint8Array {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return new TextEncoder().encode(text);
  const out = new DataView(new ArrayBuffer(2 + text.length * 2));
  out.setUint16(0, 0xfeff, true);
  for (let i = 0; i < text.length; i++) out.setUint16(2 + i * 2, text.charCodeAt(i), true);
  return new Uint8Array(out.buffer);
}
