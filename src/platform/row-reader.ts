import { Column, type DriverValueDecoder, is, SQL, Subquery } from 'drizzle-orm';
import { D1PreparedQuery } from 'drizzle-orm/d1';

/*
 * Drizzle determines the kind of each column again for every row, a tenth of the processor time of a list with 100
 * rows. Importing this module lets it read all rows of a query with the same reader.
 */

type Decoder = DriverValueDecoder<unknown, unknown>;

/** A selected column or expression of a drizzle query, and the place of its value in the result. */
interface SelectedField {
  path: string[];
  field: unknown;
}

type RowReader = (values: unknown[]) => Record<string, unknown>;

/** The members of a query of drizzle that determine how its rows are read; its types leave them out. */
interface ReadQuery {
  fields?: SelectedField[];
  customResultMapper?: unknown;
  /** Whether the columns of each joined table are present in every row. */
  joinsNotNullableMap?: Record<string, boolean>;
}

/** A query that is prepared once keeps its fields. */
const known = new WeakMap<SelectedField[], RowReader>();

const { mapAllResult } = D1PreparedQuery.prototype;

D1PreparedQuery.prototype.mapAllResult = function (this: D1PreparedQuery, result, isFromBatch) {
  const { fields, customResultMapper, joinsNotNullableMap = {} } = this as unknown as ReadQuery;
  if (!fields || customResultMapper || Object.values(joinsNotNullableMap).includes(false))
    return mapAllResult.call(this, result, isFromBatch);
  const rows = isFromBatch ? (result as D1Result<object>).results.map(Object.values) : (result as unknown[][]);
  let reader = known.get(fields);
  if (!reader) {
    reader = rowReader(fields);
    known.set(fields, reader);
  }
  return rows.map(reader);
};

/** Returns a function that converts the values of a row, in the order of `fields`, to the query's result. */
function rowReader(fields: SelectedField[]): RowReader {
  const columns = fields.map(({ path, field }) => ({
    groups: path.slice(0, -1),
    name: path.at(-1)!,
    decoder: decoderOf(field),
  }));
  return (values) => {
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
