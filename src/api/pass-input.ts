import { z } from 'zod';
import { PassName } from '../domain/fields.ts';
import { FlightFields } from '../domain/passes/values/flight-fields.ts';
import { PassFields } from '../domain/passes/values/pass-fields.ts';

/**
 * The writable fields as the contract document shows them; the domain checks them, because only the template knows the
 * rest.
 */
export const PassInput = PassFields.extend(FlightFields.partial().shape).describe(
  'Send additional properties of the template together with these, by name or ID. Flight fields are for air boarding passes, where eight of them are required.',
);

/** What names a template. */
export const TemplateName = PassName.describe('Identifier of the template, or its userProvidedId');

/** The body of a v3 create. */
export const CreateBody = z.object({ data: PassInput.extend({ templateId: TemplateName }) });

const PlacesUsedAt = z
  .union([z.literal(''), z.null(), z.array(z.string()), z.record(z.string(), z.string())])
  .optional()
  .describe(
    'An empty value clears all usages, an array of names clears these places. The object from a reply is ignored.',
  );

const Voided = z.boolean().optional().describe('Voids or restores the pass; unchanged if left out');

/** The body of a v3 replace or partial update. */
export const UpdateBody = z.object({ data: PassInput.extend({ placesUsedAt: PlacesUsedAt, voided: Voided }) });

/** The body of a v1 update. */
export const UpdateBodyV1 = PassInput.extend({ voided: Voided });
