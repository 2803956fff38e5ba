/* Apart from the schema of fields, which only those who check a definition need. */

export const FIELD_LISTS = [
  'headerFields',
  'primaryFields',
  'secondaryFields',
  'auxiliaryFields',
  'backFields',
] as const;
export type FieldList = (typeof FIELD_LISTS)[number];
