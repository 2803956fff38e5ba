import { Column, type DriverValueDecoder, is, SQL, Subquery } from 'drizzle-orm';

type Decoder = DriverValueDecoder<unknown, unknown>;

/** A selected column or expression of a drizzle query, and the place of its value in the result. */
export interface SelectedField {
  path: string[];
  field: unknown;
}

/**
 * Returns a function that converts a D1 row, with members in the order of `fields`, to the query's result. Drizzle
 * determines the kind of each field again for every row, which takes longer than all other work on a row.
 */
export function rowReader(fields: SelectedField[]): (row: Record<string, unknown>) => Record<string, unknown> {
  const columns = fields.map(({ path, field }) => ({
    groups: path.slice(0, -1),
    name: path.at(-1)!,
    decoder: decoderOf(field),
  }));
  return (row) => {
    const values = Object.values(row);
    const result: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { groups, name, decoder } = columns[i]!;
      let group = result;
      for (const inner of groups) {
        group[inner] ??= {};
        group = group[inner] as Record<string, unknown>;
      }
      const value = values[i];
      group[name] = value === null ? null : decoder.mapFromDriverValue(value);
    }
    return result;
  };
}

function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) return field as Decoder;
  if (is(field, SQL)) return (field as unknown as { decoder: Decoder }).decoder;
  if (is(field, Subquery)) return (field._.sql as unknown as { decoder: Decoder }).decoder;
  return (field as { sql: { decoder: Decoder } }).sql.decoder;
}
