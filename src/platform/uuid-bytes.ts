import { type SQL, sql } from 'drizzle-orm';

/** SQL for the 16 bytes of a UUID in lower case, which is SQL for a text or null; any other text stays as it is. */
export function uuidBytes(text: SQL): SQL {
  return sql`coalesce(iif(length(${text}) = 36, unhex(${text}, '-'), null), ${text})`;
}

/** SQL for the text of which a column has `uuidBytes`. */
export function uuidText(column: string): SQL {
  const part = (from: number, length: number) => `substr(hex(${column}), ${from}, ${length})`;
  const parts = [part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(` || '-' || `);
  return sql.raw(`iif(typeof(${column}) = 'blob', lower(${parts}), ${column})`);
}
