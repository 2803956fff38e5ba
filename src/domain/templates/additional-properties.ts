import * as z from 'zod';
import { parseDate, parseDateTime } from '../../platform/dates.ts';
import { randomUint32 } from '../../platform/ids.ts';
import { fieldIssue, type Issue, invalid } from '../errors.ts';
import { AnyText, DATE_HINT, DATE_TIME_HINT, EMAIL_HINT, PassText, Title } from '../fields.ts';
import { NAME_CHARS_MAX, TEXT_CHARS_MAX } from '../limits.ts';
import { refuseIn } from './refuse.ts';

export const PROPERTY_TYPES = [
  'text',
  'textarea',
  'email',
  'number',
  'date',
  'datetime',
  'checkbox',
  'select',
  'radiobutton',
] as const;

/** `<13 hex>.<8 digits>`, the form of property IDs in this API family. */
export const PROPERTY_ID_PATTERN = /^[0-9a-f]{13}\.\d{8}$/;

/** Field that a template adds to its passes. */
export const AdditionalProperty = z
  .object({
    id: AnyText.pipe(z.string().regex(PROPERTY_ID_PATTERN, 'must look like 65f0c2a81b3d4.01234567')).nullish(),
    name: Title,
    type: z.enum(PROPERTY_TYPES).default('text'),
    required: z.boolean().default(false),
    unique: z.boolean().default(false),
    personal: z.boolean({ error: 'must be true or false' }).optional().meta({
      description:
        'Whether its values are personal data, which members without the privilege `personal_data` can’t see',
    }),
    default: PassText.nullish(),
    options: z.array(PassText).max(1_000).nullish(),
  })
  .superRefine((property, check) => {
    const chosen = property.type === 'select' || property.type === 'radiobutton';
    const refuse = refuseIn(check);
    if (chosen && !property.options?.length) refuse(['options'], `is required for type ${property.type}`);
    if (chosen && property.default && property.options && !property.options.includes(property.default))
      refuse(['default'], 'must be one of the options');
  });
export type AdditionalProperty = z.infer<typeof AdditionalProperty>;

/** Creates a property ID: 52 random bits in hexadecimal, then eight random digits. */
export function newPropertyId(): string {
  const [a, b, c] = [randomUint32(), randomUint32(), randomUint32()];
  const head = (a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0')).slice(0, 13);
  return `${head}.${String(c % 100_000_000).padStart(8, '0')}`;
}

type Property = Pick<AdditionalProperty, 'id' | 'name' | 'type' | 'options' | 'default'>;

/** A value in the form that is stored, or why it isn't valid. */
type CheckedValue = { value: string | boolean } | { problem: string };

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
