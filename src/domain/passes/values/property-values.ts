import { parseDate, parseDateTime } from '../../../platform/dates.ts';
import { fieldIssue, type Issue, invalid } from '../../errors.ts';
import { DATE_HINT, DATE_TIME_HINT, EMAIL_HINT } from '../../fields.ts';
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from '../../limits.ts';
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
    if (value === null || value === undefined || value === '') {
      found.set(property.id, null);
      continue;
    }
    const checked = checkValue(property, value);
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
  return property.type === 'checkbox' ? property.default === 'true' : property.default;
}

type Checked = { value: PropertyValue } | { problem: string };

function checkValue(property: Property, value: unknown): Checked {
  if (typeof value === 'object') return { problem: 'must be a text, a number or a boolean' };
  const text = String(value);
  const charsMax =
    property.type === 'text' ? TEXT_CHARS_MAX : property.type === 'textarea' ? TEXT_CHARS_MAX : NAME_CHARS_MAX;
  if (text.length > charsMax) return { problem: `must have at most ${charsMax} characters` };
  switch (property.type) {
    case 'checkbox':
      return /^(true|1)$/.test(text)
        ? { value: true }
        : /^(false|0)$/.test(text)
          ? { value: false }
          : { problem: 'must be true or false' };
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? { value: text.trim() } : { problem: 'must be a number' };
    case 'email':
      return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text) ? { value: text } : { problem: EMAIL_HINT };
    case 'date':
      return parseDate(text, 'UTC') !== undefined ? { value: text } : { problem: DATE_HINT };
    case 'datetime':
      return parseDateTime(text, 'UTC') !== undefined ? { value: text } : { problem: DATE_TIME_HINT };
    case 'select':
    case 'radiobutton':
      return property.options?.includes(text)
        ? { value: text }
        : { problem: `must be one of: ${property.options?.join(', ')}` };
    default:
      return { value: text };
  }
}

/** Returns the values by property name: the `genericProperties` of replies. */
export function namedProperties(
  definition: StoredDefinition,
  values: Record<string, PropertyValue>,
): Record<string, PropertyValue> {
  return Object.fromEntries(
    definition.additionalProperties
      .filter((property) => values[property.id] !== undefined)
      .map((property) => [property.name, values[property.id]!]),
  );
}
