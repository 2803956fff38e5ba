import * as z from 'zod';
import { randomUint32 } from '../../platform/ids.ts';
import { AnyText, PassText, Title } from '../fields.ts';

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
    if (chosen && !property.options?.length) {
      check.addIssue({
        code: 'custom',
        path: ['options'],
        message: `is required for type ${property.type}`,
      });
    }
    if (chosen && property.default && property.options && !property.options.includes(property.default)) {
      check.addIssue({
        code: 'custom',
        path: ['default'],
        message: 'must be one of the options',
      });
    }
  });
export type AdditionalProperty = z.infer<typeof AdditionalProperty>;

/** Creates a property ID: 52 random bits in hexadecimal, then eight random digits. */
export function newPropertyId(): string {
  const [a, b, c] = [randomUint32(), randomUint32(), randomUint32()];
  const head = (a.toString(16).padStart(8, '0') + b.toString(16).padStart(8, '0')).slice(0, 13);
  return `${head}.${String(c % 100_000_000).padStart(8, '0')}`;
}
