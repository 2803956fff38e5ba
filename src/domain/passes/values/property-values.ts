import { fieldIssue, type Issue, invalid } from '../../errors.ts';
import { checkPropertyValue } from '../../templates/additional-properties.ts';
import type { StoredDefinition } from '../../templates/definition.ts';
import type { PropertyValue } from '../table.ts';

type Property = StoredDefinition['additionalProperties'][number];

/** Additional properties that a caller sent: values by property ID, or null to clear. */
export type SentProperties = Map<string, PropertyValue | null>;

/**
 * Returns the additional properties among a pass's keys, which name them by ID or by name (the ID wins), checked by
 * type. Ignores keys that the template doesn't know. Throws `invalid` with one message per property, which `nameOf`
 * names.
 */
export function readProperties(
  definition: StoredDefinition,
  sent: Record<string, unknown>,
  nameOf: (property: Property, key: string) => string = (_, key) => key,
): SentProperties {
  const found: SentProperties = new Map();
  const issues: Issue[] = [];
  for (const property of definition.additionalProperties) {
    const key = [property.id, property.name].find((name) => Object.hasOwn(sent, name));
    if (key === undefined) continue;
    const value = sent[key];
    const checked = value == null || value === '' ? { value: null } : checkPropertyValue(property, value);
    if ('problem' in checked) issues.push(fieldIssue(nameOf(property, key), checked.problem));
    else found.set(property.id, checked.value);
  }
  if (issues.length > 0) throw invalid(issues);
  return found;
}

/** Completes the sent values with the template's defaults. Throws `invalid` for each missing required property. */
export function completeProperties(
  definition: Pick<StoredDefinition, 'additionalProperties'>,
  sent: SentProperties,
): Record<string, PropertyValue> {
  const values: Record<string, PropertyValue> = {};
  const missing: Issue[] = [];
  for (const property of definition.additionalProperties) {
    const value = sent.get(property.id) ?? defaultOf(property);
    if (value !== undefined) values[property.id] = value;
    else if (property.required) missing.push(fieldIssue(property.name, 'is required', 'required'));
  }
  if (missing.length > 0) throw invalid(missing);
  return values;
}

/** Returns the sent values, the defaults, and `kept` values unchanged. Throws the errors of `completeProperties`. */
export function replaceProperties(
  definition: StoredDefinition,
  before: Record<string, PropertyValue>,
  sent: SentProperties,
  kept: Set<string>,
): Record<string, PropertyValue> {
  const additionalProperties = definition.additionalProperties.filter(({ id }) => !kept.has(id));
  const left = Object.entries(before).filter(([id]) => kept.has(id));
  return { ...Object.fromEntries(left), ...completeProperties({ additionalProperties }, sent) };
}

/** Returns a pass's values after a partial update. Throws `invalid` if a required property would lose its value. */
export function patchProperties(
  definition: StoredDefinition,
  before: Record<string, PropertyValue>,
  sent: SentProperties,
): Record<string, PropertyValue> {
  const values = { ...before };
  const missing: Issue[] = [];
  for (const { id, name, required } of definition.additionalProperties) {
    const value = sent.get(id);
    if (value === undefined) continue;
    if (value !== null) values[id] = value;
    else if (required) missing.push(fieldIssue(name, 'is required', 'required'));
    else delete values[id];
  }
  if (missing.length > 0) throw invalid(missing);
  return values;
}

function defaultOf(property: Property): PropertyValue | undefined {
  if (property.default == null || property.default === '') return undefined;
  const checked = checkPropertyValue(property, property.default);
  if ('value' in checked) return checked.value;
  // Templates of earlier releases can have defaults of another type.
  return property.type === 'checkbox' ? false : property.default;
}

/**
 * Returns the values by property name: the `genericProperties` of replies. A property whose name is a key of `row` is
 * keyed by its ID.
 */
export function namedProperties(
  definition: StoredDefinition,
  values: Record<string, PropertyValue>,
  row = {},
): Record<string, PropertyValue> {
  return Object.fromEntries(
    definition.additionalProperties.flatMap(({ id, name }) =>
      values[id] === undefined ? [] : [[Object.hasOwn(row, name) ? id : name, values[id]]],
    ),
  );
}
