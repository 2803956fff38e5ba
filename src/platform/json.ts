/** Parses a text as JSON; undefined if it isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An escape can encode half of a surrogate pair, which isn't a character and can't be stored. */
const SURROGATE_ESCAPE = /\\ud[89a-f]/i;

/** Parses a text as JSON and replaces characters that can't be stored. Throws a `SyntaxError`. */
export function parseWellFormed(raw: string): unknown {
  if (!SURROGATE_ESCAPE.test(raw)) return JSON.parse(raw);
  return JSON.parse(raw, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part));
}

/**
 * Maximum levels of objects and arrays in input. Recursive code such as `JSON.stringify` overflows its stack at a few
 * thousand.
 */
export const LEVELS_MAX = 100;

/** Returns whether a value that was read from `raw` has more levels. */
export function isTooDeep(value: object, raw: string): boolean {
  // A level takes at least two characters, so most texts need no check.
  if (raw.length <= 2 * LEVELS_MAX) return false;
  let level = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > LEVELS_MAX) return true;
    level = level.flatMap((part) => Object.values(part).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return false;
}

/** Maximum objects and arrays in input. An empty one takes 20 times the memory of its text. */
export const PARTS_MAX = 300_000;
const [QUOTE, BACKSLASH, OBJECT, ARRAY, COLON] = [0x22, 0x5c, 0x7b, 0x5b, 0x3a];

/** Returns whether a JSON text has more objects and arrays, without parsing it. */
export function hasTooManyParts(raw: string): boolean {
  if (raw.length <= PARTS_MAX) return false;
  let parts = 0;
  let isText = false;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code === QUOTE) isText = !isText;
    else if (isText && code === BACKSLASH) at++;
    else if (!isText && (code === OBJECT || code === ARRAY) && ++parts > PARTS_MAX) return true;
  }
  return false;
}

/** Maximum different names of members in large input: such objects take ten times the memory of their text. */
export const NAMES_MAX = 20_000;
/** Input with fewer characters may have any names. */
const NAMES_FROM_CHARS = 1024 * 1024;

/** Returns whether a JSON text has more names, without parsing it. */
export function hasTooManyNames(raw: string): boolean {
  if (raw.length <= NAMES_FROM_CHARS) return false;
  const names = new Set<string>();
  let [from, to] = [0, 0];
  let isText = false;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (code === QUOTE) {
      if (isText) to = at;
      else from = at + 1;
      isText = !isText;
    } else if (isText && code === BACKSLASH) at++;
    else if (!isText && code === COLON && names.add(raw.slice(from, to)).size > NAMES_MAX) return true;
  }
  return false;
}

/**
 * Returns the table's own entry for an external name; undefined for members that every object inherits (`constructor`).
 */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns JSON with sorted keys, so that equal values have equal texts whatever the order of their members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
