/** An identifier in a statement or, without dashes, in the name of a trigger. */
const IDENTIFIER = /[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/g;

/**
 * Normalizes a statement, so that variants with other whitespace, identifiers or parameter list lengths are equal: a
 * move of an account creates hundreds of triggers that contain its identifier.
 */
export function shapeOf(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?(?:, ?\?)+/g, '?')
    .replace(/\(\?\)(?:, ?\(\?\))+/g, '(?)')
    .replace(IDENTIFIER, (identifier) => identifier.replace(/\w/g, '0'));
}
