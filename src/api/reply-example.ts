import { PASS_ID_EXAMPLE } from './examples.ts';

/** Parts of a JSON Schema that an example uses. */
interface Schema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  maxItems?: number;
  anyOf?: Schema[];
}

const BY_TYPE: Record<string, unknown> = { string: 'text', integer: 0, number: 0, boolean: false, null: null };
const BY_FORMAT: Record<string, unknown> = { uuid: PASS_ID_EXAMPLE, 'date-time': '2027-01-31T08:30:00.000Z' };

/**
 * Returns an example of a schema: its own, or one built from its parts. Optional members are included if they have one.
 */
export function exampleOf(schema: Schema): unknown {
  const { examples, anyOf, items, properties = {}, required = [] } = schema;
  // A nullable type without an example of its own becomes null.
  const type = Array.isArray(schema.type) ? schema.type.at(-1) : schema.type;
  if (examples) return examples[0];
  if (anyOf) return exampleOf(anyOf.find(hasExample) ?? anyOf.at(-1)!);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (type === 'array') return items && schema.maxItems !== 0 ? [exampleOf(items)] : [];
  if (type === 'object') {
    const shown = Object.entries(properties).filter(([name, member]) => required.includes(name) || hasExample(member));
    return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member)]));
  }
  return BY_FORMAT[schema.format ?? ''] ?? BY_TYPE[type ?? 'string'];
}

function hasExample({ examples, anyOf = [], items, properties = {} }: Schema): boolean {
  const parts = [...anyOf, ...(items ? [items] : []), ...Object.values(properties)];
  return examples !== undefined || parts.some(hasExample);
}
