import { isLanguageCode } from '../../../domain/fields.ts';
import { LANGUAGES_MAX } from '../../../domain/limits.ts';
import { isRecord } from '../../../platform/json.ts';
import { readFile, type TemplatePackage } from './open-package.ts';
import type { Warnings } from './reading.ts';

type Json = Record<string, unknown>;
type Tables = Map<string, Map<string, string>>;

const STRINGS_FILE = /^([^/]+)\.lproj\/pass\.strings$/;
/** A template allows 65,536 characters including all translations. */
const STRINGS_BYTES_MAX = 512 * 1024;

/** Reads the texts of an archive by language and key. Leaves out unreadable files with a warning. */
export function readTables({ files }: TemplatePackage, warnings: Warnings): Tables {
  const tables: Tables = new Map();
  let left = STRINGS_BYTES_MAX;
  for (const [name, file] of files) {
    const language = STRINGS_FILE.exec(name)?.[1]?.replaceAll('_', '-');
    if (language === undefined) continue;
    try {
      if (!isLanguageCode(language) && language !== 'Base') throw new StringsError('its folder names no language');
      if (file.size > left) throw new StringsError('the translations have more than 512 KiB together');
      if (tables.size === LANGUAGES_MAX) throw new StringsError(`there are more than ${LANGUAGES_MAX} languages`);
      left -= file.size;
      tables.set(language, readStrings(readFile(file)));
    } catch (error) {
      if (!(error instanceof StringsError)) throw error;
      warnings.add(name, `${error.message}; left out`);
    }
  }
  return tables;
}

/**
 * Chooses the language for the template: the account's, or else a widely understood one. Undefined if the texts of
 * pass.json itself are more likely to be understood.
 */
export function baseLanguage(languages: Iterable<string>, wanted: string): string | undefined {
  const all = [...languages];
  const primary = (language: string) => language.split('-')[0];
  const near = (to: string) => all.find((one) => one === to) ?? all.find((one) => primary(one) === primary(to));
  return near(wanted) ?? near('en') ?? near('Base');
}

/**
 * Replaces keys in a definition with the texts of the base language, and adds the others to `translations`, keyed by
 * these texts. Texts of locations keep their translations next to them.
 */
export function translate(definition: Json, tables: Tables, language: string, warnings: Warnings): void {
  const base = baseLanguage(tables.keys(), language);
  const texts = (base === undefined ? undefined : tables.get(base)) ?? new Map<string, string>();
  const places = localizedPlaces(definition, tables, texts, language);
  replaceTexts(definition, texts);
  const keys = new Set([...tables.values()].flatMap((table) => [...table.keys()]));
  const alone = onlyInPlaces(places, definition);
  const translations = new Map<string, Map<string, string>>();
  for (const [name, table] of tables) {
    if (name === 'Base' || name === language) continue;
    const entries = new Map<string, string>();
    for (const key of keys) {
      const text = texts.get(key) ?? key;
      const translation = table.get(key);
      if (translation === undefined || alone.has(text)) continue;
      const earlier = entries.get(text);
      if (earlier === undefined || earlier === text) entries.set(text, translation);
      else if (earlier !== translation) warnings.add(`${name}.lproj`, `"${text}" has two translations; one left out`);
    }
    if (entries.size > 0) translations.set(name, withoutRepeats(entries));
  }
  if (translations.size === 0) return;
  definition.translationsEnabled = true;
  definition.translations = Object.fromEntries([...translations].map(([name, table]) => [name, tableOf(table)]));
}

/** Converts a table to an object, where `__proto__` is a key like any other. */
function tableOf(table: Map<string, string>): Json {
  return Object.fromEntries(table);
}

/** Drops texts that equal their key, unless the language has no others: then they keep the language present. */
function withoutRepeats(entries: Map<string, string>): Map<string, string> {
  const others = new Map([...entries].filter(([text, translation]) => text !== translation));
  return others.size > 0 ? others : entries;
}

interface LocalizedPlace {
  text: string;
}

/** Sets the texts of locations in each language. Returns the locations with translations. */
function localizedPlaces(
  definition: Json,
  tables: Tables,
  texts: Map<string, string>,
  language: string,
): LocalizedPlace[] {
  const found: LocalizedPlace[] = [];
  for (const place of Array.isArray(definition.locations) ? definition.locations : []) {
    const key: unknown = isRecord(place) ? place.relevantText : undefined;
    if (typeof key !== 'string') continue;
    const text = texts.get(key) ?? key;
    const others = [...tables].flatMap(([name, table]) => {
      const translation = table.get(key);
      const isOther = name !== 'Base' && name !== language && translation !== undefined && translation !== text;
      return isOther ? [[name, translation] as const] : [];
    });
    place.relevantText = text;
    if (others.length === 0) continue;
    place.localizedRelevantText = Object.fromEntries(others);
    found.push({ text });
  }
  return found;
}

/** Returns location texts that occur nowhere else, so that they need no further translations. */
function onlyInPlaces(places: LocalizedPlace[], { locations: _, ...rest }: Json): Set<string> {
  const elsewhere = new Set(textsIn(rest));
  return new Set(places.map(({ text }) => text).filter((text) => !elsewhere.has(text)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Members whose texts Apple looks up in the translations. */
const TRANSLATED = new Set([
  'organizationName',
  'description',
  'logoText',
  'eventLogoText',
  'label',
  'value',
  'changeMessage',
  'alternativeText',
  'relevantText',
]);

/** Replaces keys with texts, in place. */
function replaceTexts(value: unknown, texts: Map<string, string>): void {
  if (Array.isArray(value)) for (const item of value) replaceTexts(item, texts);
  if (!isRecord(value)) return;
  for (const [name, part] of Object.entries(value)) {
    const text = TRANSLATED.has(name) && typeof part === 'string' ? texts.get(part) : undefined;
    if (text !== undefined) value[name] = text;
    // Tags and location tables contain no keys.
    else if (name !== 'semantics' && name !== 'localizedRelevantText') replaceTexts(part, texts);
  }
}

/** A problem with a file of translations. */
export class StringsError extends Error {}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
/** A key without quotes (old property lists). */
const BARE = /[\w.$:/-]+/y;

/**
 * Reads the texts of a `pass.strings` by key: `"key" = "value";` with comments and escapes, in UTF-8 or UTF-16. The
 * last value of a repeated key wins. Throws `StringsError`.
 */
export function readStrings(bytes: Uint8Array): Map<string, string> {
  const text = decode(bytes);
  const table = new Map<string, string>();
  let at = 0;
  const skip = () => {
    at = endOfSpace(text, at);
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const mark = (character: string): boolean => {
    skip();
    if (text[at] !== character) return false;
    at++;
    return true;
  };
  const word = (): string => {
    skip();
    const quoted = take(QUOTED);
    if (quoted) return unescaped(quoted[1]!);
    const bare = take(BARE);
    if (bare) return bare[0];
    throw broken(text, at);
  };
  for (skip(); at < text.length; skip()) {
    const key = word();
    // A key without a value is its own value.
    const value = mark('=') ? word() : key;
    if (!mark(';')) throw broken(text, at);
    table.set(key, value);
  }
  return table;
}

/** Returns the position after whitespace and comments. */
function endOfSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) at++;
    else if (text.startsWith('//', at)) at = endOf(text, '\n', at);
    else if (text.startsWith('/*', at) && text.indexOf('*/', at + 2) > 0) at = endOf(text, '*/', at + 2);
    else return at;
  }
  return at;
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function broken(text: string, at: number): StringsError {
  const line = text.slice(0, at).split('\n').length;
  return new StringsError(`line ${line} does not look like "key" = "value";`);
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (bytes.length >= 6 && String.fromCharCode(...bytes.subarray(0, 6)) === 'bplist')
    throw new StringsError('it is compiled; only texts can be read');
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes).toWellFormed();
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes).toWellFormed();
  // Without a byte order mark, the zero byte of the first character shows the byte order.
  if (first === 0) return new TextDecoder('utf-16be').decode(bytes).toWellFormed();
  if (second === 0) return new TextDecoder('utf-16le').decode(bytes).toWellFormed();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new StringsError('it is neither UTF-8 nor UTF-16');
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  const plain = text.replace(/\\(?:[Uu]([0-9A-Fa-f]{4})|([\s\S]))/g, (_, code: string | undefined, one: string) =>
    code === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return plain.toWellFormed();
}
