/**
 * What a `User-Agent` header contains, and what people call it; of several that match the first counts, because
 * browsers name their relatives, too.
 */
const BROWSERS: [string, string][] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

const SYSTEMS: [string, string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];

/** A browser in words, such as "Firefox on Windows", from the header in which it describes itself. */
export function browserName(userAgent: string | null): string {
  const named = (names: [string, string][]) => names.find(([part]) => userAgent?.includes(part))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (!browser && !system) return 'Unknown browser';
  return system ? `${browser ?? 'Browser'} on ${system}` : browser!;
}
