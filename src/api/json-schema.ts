import { z } from 'zod';

/** JSON Schema (2020-12) of a zod schema; what JSON Schema cannot say (a transformation's outcome) is left open. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  return json;
}
