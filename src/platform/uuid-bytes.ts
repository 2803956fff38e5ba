import { type SQL, sql } from 'drizzle-orm';

/** SQL for the 16 bytes of the lowercase UUID `:value`, which is a text or null. Any other text stays unchanged. */
export const UUID_BYTES = "coalesce(iif(length(:value) = 36, unhex(:value, '-'), null), :value)";

/** Returns `UUID_BYTES` for a value in SQL. */
export function uuidBytes(text: SQL): SQL {
  return sql.join(
    UUID_BYTES.split(':value').map((part) => sql.raw(part)),
    text,
  );
}

/** Returns SQL for the text of a column that stores `uuidBytes`. */
export function uuidText(column: string): string {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`;
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(` || '-' || `);
  return `iif(typeof(${column}) = 'blob', lower(${parts}), ${column})`;
}
