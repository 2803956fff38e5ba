/** Normalizes a statement, so that variants with other whitespace or parameter list lengths are equal. */
export function shapeOf(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?(?:, ?\?)+/g, '?')
    .replace(/\(\?\)(?:, ?\(\?\))+/g, '(?)');
}
