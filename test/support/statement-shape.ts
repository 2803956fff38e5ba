/** A statement as all of its repetitions look: spaces and the lengths of lists of parameters are one. */
export function shapeOf(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?(?:, ?\?)+/g, '?')
    .replace(/\(\?\)(?:, ?\(\?\))+/g, '(?)');
}
