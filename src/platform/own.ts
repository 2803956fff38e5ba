/**
 * Returns the table's own entry for an external name; undefined for members that every object inherits (`constructor`).
 */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
