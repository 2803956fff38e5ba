import type { NamedSchemas, Schema } from './contract.ts';
import { isNothing, resolved } from './schema-words.ts';

const DEPTH_MAX = 8;

/** Sample values for the formats of zod and OpenAPI. */
const FORMATS: Record<string, string> = {
  uuid: '01980b5e-4a30-7a52-9c11-0242ac120000',
  uri: 'https://example.com/…',
  'date-time': '2027-01-31T23:59:00Z',
  date: '2027-01-31',
  email: 'ada@example.com',
};

/**
 * Returns a sample value for a schema: its example or default, or a value of its type. Members in `known` get their
 * values from there.
 */
export function sampleOf(schema: Schema, named: NamedSchemas, known: Record<string, unknown> = {}): unknown {
  return sample(schema, named, known, 0);
}

function sample(schema: Schema, named: NamedSchemas, known: Record<string, unknown>, depth: number): unknown {
  const own = resolved(schema, named);
  const given = [own.example, own.const, own.default, own.enum?.[0]].find((value) => value !== undefined);
  if (given !== undefined) return given;
  const variants = own.anyOf ?? own.oneOf ?? own.allOf;
  if (variants) return sample(variants.find((each) => each.type !== 'null') ?? {}, named, known, depth);
  const type = Array.isArray(own.type) ? own.type.find((each) => each !== 'null') : own.type;
  switch (type) {
    case 'object':
      return depth > DEPTH_MAX ? {} : sampleMembers(own, named, known, depth);
    case 'array': {
      const { items } = own;
      const full = depth <= DEPTH_MAX && typeof items === 'object' && !isNothing(items);
      return full ? [sample(items, named, {}, depth + 1)] : [];
    }
    case 'string':
      return FORMATS[own.format ?? ''] ?? 'text';
    case 'integer':
    case 'number':
      return Math.max(own.minimum ?? 0, 0) || 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return {};
  }
}

function sampleMembers(own: Schema, named: NamedSchemas, known: Record<string, unknown>, depth: number) {
  const members = Object.entries(own.properties ?? {}).map(([name, member]) => [
    name,
    Object.hasOwn(known, name) ? known[name] : sample(member, named, {}, depth + 1),
  ]);
  return Object.fromEntries(members);
}

/**
 * Returns the sample body of a reply: the document's own example, or a value for the schema with the service's standard
 * members.
 */
export function replySample(
  reply: { status: number; description: string; content?: { schema?: Schema; example?: unknown } },
  named: NamedSchemas,
): unknown {
  const { status, description, content } = reply;
  if (content?.example !== undefined) return content.example;
  if (!content?.schema) return undefined;
  const failed = status >= 400;
  return sampleOf(content.schema, named, {
    success: !failed,
    description,
    errors: failed ? [description] : [],
    statusCode: status,
    responseMetaData: null,
    ErrorMessage: failed ? description : '',
  });
}
