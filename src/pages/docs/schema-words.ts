import type { NamedSchemas, Schema } from './contract.ts';

/** A nested object schema, shown below its parent. */
export interface NestedObject {
  schema: Schema;
  /** Distinguishes it from other variants. */
  variant?: string;
}

/** Resolves references. An unknown reference resolves to an empty schema. */
export function resolved(schema: Schema, named: NamedSchemas): Schema {
  let current = schema;
  for (const seen = new Set<string>(); current.$ref !== undefined && !seen.has(current.$ref); ) {
    seen.add(current.$ref);
    current = named[current.$ref] ?? {};
  }
  return current;
}

/** Describes the type: `string (uuid)`, `array of objects`, `number or null`. */
export function typeName(schema: Schema, named: NamedSchemas): string {
  const { type, format, items, additionalProperties, ...rest } = resolved(schema, named);
  const variants = rest.anyOf ?? rest.oneOf;
  if (variants) return unique(variants.map((variant) => typeName(variant, named))).join(' or ');
  if (Array.isArray(type)) return type.join(' or ');
  if (rest.const !== undefined) return typeof rest.const;
  if (rest.enum) return unique(rest.enum.map((value) => (value === null ? 'null' : typeof value))).join(' or ');
  if (type === 'array') {
    if (isNothing(items)) return 'empty array';
    const item = typeof items === 'object' ? typeName(items, named) : 'any';
    return item === 'any' ? 'array' : `array of ${item.includes(' or ') ? `(${item})` : item}`;
  }
  if (type === 'object' && !rest.properties && typeof additionalProperties === 'object') {
    const value = typeName(additionalProperties, named);
    return value === 'any' ? 'object' : `object of ${value}`;
  }
  return format ? `${type} (${format})` : (type ?? 'any');
}

const unique = (texts: string[]) => [...new Set(texts)];

/** Returns whether a schema accepts nothing, such as the `items` of an array that is always empty. */
export function isNothing(schema: Schema | boolean | undefined): boolean {
  return schema === false || (typeof schema === 'object' && schema.not !== undefined);
}

/** Returns the enumerated values of a schema or its items: texts as they are, others as JSON. */
export function enumValues(schema: Schema, named: NamedSchemas): string[] {
  const { anyOf, oneOf, items, ...rest } = resolved(schema, named);
  const own = rest.enum ?? (rest.const === undefined ? [] : [rest.const]);
  const inside = [...(anyOf ?? oneOf ?? []), ...(typeof items === 'object' ? [items] : [])];
  const texts = own.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return unique([...texts, ...inside.flatMap((each) => enumValues(each, named))]);
}

/** Describes the limits of a value, such as `1 to 500 characters`. Patterns are in backticks. */
export function limits(schema: Schema, named: NamedSchemas): string[] {
  const { anyOf, oneOf, ...own } = resolved(schema, named);
  const inside = (anyOf ?? oneOf ?? []).flatMap((variant) => limits(variant, named));
  const found = [
    range(own.minLength, own.maxLength, 'characters'),
    range(own.minItems, isNothing(own.items) ? undefined : own.maxItems, 'items'),
    range(bound(own.minimum), bound(own.maximum)),
    own.exclusiveMinimum === undefined ? undefined : `more than ${own.exclusiveMinimum}`,
    own.exclusiveMaximum === undefined ? undefined : `less than ${own.exclusiveMaximum}`,
    own.multipleOf === undefined ? undefined : `a multiple of ${own.multipleOf}`,
    // The format already describes the value better than its long pattern.
    own.pattern && !own.format ? `pattern \`${own.pattern}\`` : undefined,
    own.default === undefined || own.type === 'object' ? undefined : `default \`${JSON.stringify(own.default)}\``,
  ];
  return unique([...found.filter((text) => text !== undefined), ...inside]);
}

/** Drops bounds at the limits of safe integers, which apply to every JSON number. */
function bound(value: number | undefined): number | undefined {
  return value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

function range(from: number | undefined, to: number | undefined, unit = ''): string | undefined {
  const [min, max] = [from, to].map((limit) => limit?.toLocaleString('en'));
  const counted = (text: string, limit: number) => (unit ? `${text} ${limit === 1 ? unit.slice(0, -1) : unit}` : text);
  if (min !== undefined && min === max) return counted(`exactly ${min}`, from!);
  if (min !== undefined && max !== undefined) return counted(`${min} to ${max}`, to!);
  if (max !== undefined) return counted(`at most ${max}`, to!);
  if (min === undefined || (unit && from === 0)) return undefined;
  return counted(`at least ${min}`, from!);
}

/** Returns the nested objects that have members: those of the schema, its items or values, and its variants. */
export function nestedObjects(schema: Schema, named: NamedSchemas): NestedObject[] {
  const own = resolved(schema, named);
  if (own.properties && Object.keys(own.properties).length > 0) return [{ schema: own }];
  const { items, additionalProperties, anyOf, oneOf } = own;
  const variants = (anyOf ?? oneOf ?? []).flatMap((variant) => nestedObjects(variant, named));
  const inside = [items, additionalProperties].flatMap((each) =>
    typeof each === 'object' ? nestedObjects(each, named) : [],
  );
  const all = [...variants, ...inside];
  return all.length < 2 ? all : all.map(({ schema: each }, i) => ({ schema: each, variant: `Variant ${i + 1}` }));
}
