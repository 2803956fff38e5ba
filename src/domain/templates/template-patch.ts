import * as z from 'zod';
import { isRecord } from '../../platform/json.ts';
import { fieldIssue, invalid, invalidField } from '../errors.ts';
import { AdditionalProperty } from './additional-properties.ts';
import { DefinitionShape } from './definition.ts';
import { FieldItem } from './field-lists.ts';
import { FIELD_LISTS } from './list-names.ts';

/*
 * Partial change of a definition: JSON merge patch (RFC 7396) of the wire form, except that field items are addressed
 * by `index` and additional properties by `id`. Other lists are replaced as a whole. Null clears; required members are
 * checked in the result.
 */

/** Returns the schema with every member optional and nullable, without defaults and without rules that span fields. */
function partial(schema: z.core.$ZodType): z.ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return partial(schema.unwrap());
  }
  if (schema instanceof z.ZodObject) return partialObject(schema).nullish();
  if (schema instanceof z.ZodRecord) return z.record(schema.keyType, partial(schema.valueType)).nullish();
  return (schema as z.ZodType).nullish();
}

function partialObject({ shape }: z.ZodObject) {
  return z.object(Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, partial(member)])));
}

const Index = FieldItem.shape.index.unwrap().unwrap();
const FieldPatch = partialObject(FieldItem).extend({ index: Index });
const FieldList = z.array(FieldPatch).max(100).nullish();
const PropertyPatch = partialObject(AdditionalProperty);

type Members = Record<string, unknown>;

/** Input that changes parts of a definition. */
export type TemplatePatch = Members & {
  fields?: Record<string, Members[] | null | undefined> | null;
  additionalProperties?: Members[] | null;
};
export const TemplatePatch = partialObject(DefinitionShape).extend({
  fields: z.object(Object.fromEntries(FIELD_LISTS.map((list) => [list, FieldList]))).nullish(),
  additionalProperties: z.array(PropertyPatch).max(200).nullish(),
}) as z.ZodType<TemplatePatch>;

/**
 * Applies a patch to a definition in wire form. The caller still has to check the result. Throws `invalid` for an item
 * that is addressed twice, and for an unknown property.
 */
export function patchDefinition(
  definition: Members,
  { fields, additionalProperties, ...rest }: TemplatePatch,
): Members {
  return merged(merged(definition, rest), {
    fields: fields && patchLists(definition.fields as Record<string, Members[]>, fields),
    additionalProperties:
      additionalProperties && patchProperties(definition.additionalProperties as Members[], additionalProperties),
  });
}

function patchLists(before: Record<string, Members[]>, patch: Record<string, Members[] | null | undefined>): Members {
  return Object.fromEntries(
    FIELD_LISTS.map((list) => {
      const items = patch[list];
      if (items === null) return [list, []];
      return [list, patchItems(before[list] ?? [], items ?? [], 'index', `fields.${list}`)];
    }),
  );
}

/** Applies patches of properties. One without an `id` is a new property. */
function patchProperties(before: Members[], patch: Members[]): Members[] {
  const known = new Set(before.map(({ id }) => id));
  const unknownItems = patch.flatMap(({ id }, i) => (id == null || known.has(id) ? [] : [i]));
  if (unknownItems.length > 0) {
    throw invalid(
      unknownItems.map((i) => fieldIssue(`additionalProperties.${i}.id`, 'is not a property of this template')),
    );
  }
  return patchItems(before, patch, 'id', 'additionalProperties');
}

/** Applies patches of items. New items are added at the end of the list. */
function patchItems(before: Members[], patch: Members[], key: string, path: string): Members[] {
  const items = [...before];
  const seen = new Set<unknown>();
  for (const [i, change] of patch.entries()) {
    const address = change[key];
    if (address != null && seen.has(address)) throw invalidField(`${path}.${i}.${key}`, `${address} occurs twice`);
    seen.add(address);
    const at = address == null ? -1 : items.findIndex((item) => item[key] === address);
    if (at >= 0) items[at] = merged(items[at]!, change);
    else items.push(merged({}, change));
  }
  return items;
}

function merged(before: Members, patch: Members): Members {
  const members = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(patch)) {
    const was = members.get(name);
    if (value === null) members.delete(name);
    else if (isRecord(value)) members.set(name, merged(isRecord(was) ? was : {}, value));
    else if (value !== undefined) members.set(name, value);
  }
  return Object.fromEntries(members);
}
