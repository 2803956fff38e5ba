const UUID = /'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'/g;
/** An identifier within a name, as triggers of account moves have it. */
const UUID_IN_NAME = /(?<=_)[0-9a-f]{32}(?=_)/g;
const NO_UUID = "'00000000-0000-0000-0000-000000000000'";

/**
 * Normalizes a statement, so that variants with other whitespace, parameter list lengths or identifiers are equal.
 * Triggers contain identifiers, because they can't have parameters.
 */
export function shapeOf(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\?(?:, ?\?)+/g, '?')
    .replace(/\(\?\)(?:, ?\(\?\))+/g, '(?)')
    .replace(UUID, NO_UUID)
    .replace(UUID_IN_NAME, 'id');
}
