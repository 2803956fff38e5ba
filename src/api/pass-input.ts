import * as z from 'zod';
import { PassName } from '../domain/fields.ts';
import { FlightFields, PassFields } from '../domain/passes/values/pass-fields.ts';
import { documentedAs } from './json-schema.ts';

const WRITING_TEXT =
  'Send additional properties of the template together with these, by name or ID. Flight fields are for air ' +
  'boarding passes, where eight of them are required.';

/** The name of a template. */
export const TemplateName = PassName.describe('Identifier of the template, or its userProvidedId');

const PlacesUsedAt = z
  .union([z.literal(''), z.null(), z.array(z.string()), z.record(z.string(), z.string())])
  .optional()
  .describe(
    'An empty value clears all usages, an array of names clears these places. The object from a reply is ignored.',
  );

const Voided = z.boolean().optional().describe('Voids or restores the pass; unchanged if left out');

/**
 * Returns the schema of a pass in a request. The route checks `own`; the domain checks the writable fields and `more`,
 * because only the template knows which properties are allowed.
 */
function sentPass<S extends z.ZodRawShape>(own: S, more: z.ZodRawShape = {}) {
  const sent = z.looseObject(own, { error: 'is required and must be an object' });
  const fields = PassFields.extend({ ...FlightFields.partial().shape, ...own, ...more });
  return documentedAs(sent, fields.describe(WRITING_TEXT));
}

/** The body of a v1 create. */
export const CreateBodyV1 = sentPass({});

/** The body of a v1 update. */
export const UpdateBodyV1 = sentPass({ voided: Voided });

/** The body of a v3 create. */
export const CreateBody = z.object({ data: sentPass({ templateId: TemplateName }) });

/** The body of a v3 replace or partial update. */
export const UpdateBody = z.object({ data: sentPass({}, { placesUsedAt: PlacesUsedAt, voided: Voided }) });
