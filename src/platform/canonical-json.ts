/**
 * JSON with sorted keys: texts of two values are equal when the values are, in whatever order they were put together.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
