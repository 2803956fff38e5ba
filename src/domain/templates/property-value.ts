import { parseDate, parseDateTime } from '../../platform/dates.ts';
import { fieldIssue, type Issue, invalid } from '../errors.ts';
import { DATE_HINT, DATE_TIME_HINT, EMAIL_HINT } from '../fields.ts';
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts';
import type { AdditionalProperty } from './additional-properties.ts';

type Property = Pick<AdditionalProperty, 'id' | 'name' | 'type' | 'options' | 'default'>;

/** A value in the form that is stored, or why it isn't valid. */
export type CheckedValue = { value: string | boolean } | { problem: string };

/** Checks a value of an additional property by the property's type. */
export function checkPropertyValue(property: Property, value: unknown): CheckedValue {
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

interface WithProperties {
  additionalProperties: Property[];
}

/**
 * Returns an issue for each default that isn't a value of its property's type. A default that `before`, the replaced
 * definition, has for the same type stays valid: earlier releases accepted any text.
 */
export function defaultIssues({ additionalProperties }: WithProperties, before?: WithProperties): Issue[] {
  return additionalProperties.flatMap((property, i) => {
    if (property.default == null || property.default === '') return [];
    const checked = checkPropertyValue(property, property.default);
    if ('value' in checked || isKept(property, before?.additionalProperties ?? [])) return [];
    return [fieldIssue(`additionalProperties.${i}.default`, checked.problem)];
  });
}

/** Throws `invalid` with the issues of `defaultIssues`. */
export function checkDefaults(definition: WithProperties, before?: WithProperties): void {
  const issues = defaultIssues(definition, before);
  if (issues.length > 0) throw invalid(issues);
}

function isKept(property: Property, before: Property[]): boolean {
  const was = before.find(({ id, name }) => (property.id == null ? name === property.name : id === property.id));
  return was !== undefined && was.type === property.type && was.default === property.default;
}
