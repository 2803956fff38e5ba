/* Separate from the schema of fields, which only code that checks definitions needs. */

export const FIELD_LISTS = [
  'headerFields',
  'primaryFields',
  'secondaryFields',
  'auxiliaryFields',
  'backFields',
] as const;
export type FieldList = (typeof FIELD_LISTS)[number];
