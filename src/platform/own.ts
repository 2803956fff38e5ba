/**
 * What a table has under a text that comes from outside; undefined for the members that every object inherits
 * (`constructor`).
 */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
