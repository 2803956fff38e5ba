import { isLanguageCode } from '../../../domain/fields.ts';
import { LANGUAGES_MAX } from '../../../domain/limits.ts';
import { isRecord } from '../../../platform/json.ts';
import { readFile, type TemplatePackage } from './open-package.ts';
import { readStrings, StringsError } from './read-strings.ts';
import type { Warnings } from './warnings.ts';

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
