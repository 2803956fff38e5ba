import * as z from 'zod';

const documentedSchemas = new WeakMap<object, z.ZodType>();

/** Returns `schema`, which the contract document shows as `shown`: the domain checks more than the schema does. */
export function documentedAs<S extends z.ZodType>(schema: S, shown: z.ZodType): S {
  documentedSchemas.set(schema, shown);
  return schema;
}

/**
 * Returns the JSON Schema (2020-12) of a zod schema. What it can't express, such as a transform's output, is left open.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      const shown = documentedSchemas.get(zodSchema);
      if (!shown) return;
      for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
      Object.assign(jsonSchema, toJsonSchema(shown, io));
    },
  });
  return json;
}
