/** Returns the characters of all translated texts, counted in each language: a pass file has all of them in each. */
export function translatedCharsOf(translations: Record<string, Record<string, string>> = {}): number {
  const tables = Object.values(translations);
  const texts = new Set(tables.flatMap(Object.keys));
  return [...texts].reduce((sum, text) => sum + text.length, 0) * tables.length;
}
