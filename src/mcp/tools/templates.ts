import * as z from 'zod';
import { fieldInformation } from '../../domain/passes/values/field-information.ts';
import type { StoredDefinition } from '../../domain/templates/definition.ts';
import { READS, segment, tool } from '../tool.ts';
import { dataOf, FIND_TEMPLATE, PageSize, pageOf, Start, TemplateId, withoutNulls } from './fields.ts';

const Named = z.object({ identifier: z.string(), name: z.string() });

/** The tool that assistants call first: all others need a template, or a pass made from one. */
export const listTemplates = tool({
  name: 'list_templates',
  title: 'List templates',
  description: 'Lists the templates of the account, oldest first, with their identifiers.',
  operation: 'listTemplates',
  scope: 'templates:read',
  hints: READS,
  input: z.strictObject({ pageSize: PageSize, start: Start }),
  output: z.object({ templates: z.array(Named), total: z.int(), next: z.int().nullable() }),
  request: () => ({ method: 'GET', path: '/api/pass-template' }),
  result: (reply, args) => {
    const { page, total, next } = pageOf(reply as z.infer<typeof Named>[], args);
    return { templates: page, total, next };
  },
});

const Property = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  unique: z.boolean().optional(),
  personal: z.boolean().optional(),
  default: z.string().optional(),
  options: z.array(z.string()).optional(),
});

const Described = z.object({
  identifier: z.string(),
  name: z.string(),
  description: z.string(),
  organizationName: z.string(),
  type: z.string(),
  transitType: z.string().optional(),
  userProvidedId: z.string().optional(),
  timezone: z.string().optional().describe('Time zone of dates on its passes; default: that of the account'),
  maxPasses: z.int().optional(),
  additionalProperties: z
    .array(Property)
    .describe('Fields that the template defines: send them in `data`, by name or ID'),
  fields: z
    .array(z.object({ key: z.string(), label: z.string(), required: z.boolean() }))
    .describe('Built-in fields that its passes use: send them in `data` by their key'),
  passFunctionality: z.string().optional().describe('Effect of a scan on the stored value'),
  barcodeFormat: z.string(),
  expiration: z.record(z.string(), z.unknown()),
});

/** Returns the built-in fields that the template's passes use; its additional properties are listed separately. */
function builtInFields(definition: StoredDefinition) {
  const properties = new Set(definition.additionalProperties.map(({ id }) => id));
  return fieldInformation(definition).filter(({ key }) => !properties.has(key));
}

/** Describes the fields that a pass of the template takes. */
export const describeTemplate = tool({
  name: 'describe_template',
  title: 'Describe a template',
  description:
    'Shows what a template is for and which fields its passes take. Call it before `create_pass` or `update_pass`.',
  operation: 'describeTemplate',
  scope: 'templates:read',
  hints: READS,
  input: z.strictObject({ id: TemplateId }),
  output: Described,
  request: ({ id }) => ({ method: 'GET', path: `/api/v2/pass-template/${segment(id)}/describe` }),
  result: (reply) => {
    const definition = dataOf(reply) as StoredDefinition;
    const { additionalProperties, barcode, expiration, passFunctionality, ...more } = definition;
    return Described.parse({
      ...withoutNulls(more),
      fields: builtInFields(definition),
      additionalProperties: additionalProperties.map((property) => withoutNulls(property)),
      barcodeFormat: barcode.format,
      ...(passFunctionality ? { passFunctionality: passFunctionality.type } : {}),
      expiration: withoutNulls(expiration),
    });
  },
  ifUnknown: FIND_TEMPLATE,
});
