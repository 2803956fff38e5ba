import { Hono } from 'hono';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { fieldInformation } from '../../domain/passes/values/field-information.ts';
import { updateTemplate } from '../../domain/template-changes/change-template.ts';
import { CopyFields, copyTemplate } from '../../domain/templates/copy-template.ts';
import { deleteTemplate } from '../../domain/templates/delete-template.ts';
import { getTemplate } from '../../domain/templates/get-template.ts';
import { listTemplates } from '../../domain/templates/list-defined-templates.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_EXAMPLE, TEMPLATE_EXAMPLE } from '../examples.ts';
import { operationsWith, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { text, Warnings, warningsOf } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Templates' });

const TemplateItem = z.object({ identifier: z.uuid(), name: text(TEMPLATE_EXAMPLE.name) });
const FieldItem = z.object({
  type: z.enum(['unicode', 'datetime']),
  key: text(PASS_EXAMPLE.propertyIds.Passenger),
  required: z.boolean(),
  label: text('Passenger'),
});
const MUST_BE_TRUE = 'is required and must be true';
const IntegrationStyle = z.object({
  integrationStyle: z
    .stringbool(MUST_BE_TRUE)
    .refine(Boolean, MUST_BE_TRUE)
    .meta({ enum: ['true', '1'] }),
});
/** The deprecated update supports neither of these fields. */
const UpdateFields = CopyFields.omit({ barcodeAlternativeText: true, userProvidedId: true });

const COPY_TEXT =
  'Fields that you leave out come from the newest definition of the original. Additional properties keep their ' +
  'identifiers, so integrations work with the copy. The copy counts as published. With `useDefaultImages`, ' +
  '`warnings` names a logo or icon of the account that cannot be fetched.';
const TARGET_TEXT =
  `${COPY_TEXT} The target must be a sub-customer of the caller. Project, signing certificate and tiers are not ` +
  'copied, because they belong to the original’s account.';

const COPY_EXAMPLE = {
  name: 'Night train, summer',
  backgroundColor: '#2a9d8f',
  locations: [{ latitude: 48.185, longitude: 16.376, relevantText: 'Your train leaves from here' }],
  userProvidedId: 'night-train-summer',
};

/** Returns the handlers of a copy. The two operations differ only in the target account. */
function copyOperation(id: string, summary: string, description: string) {
  return createFactory<ApiEnv>().createHandlers(
    operation({
      id,
      summary,
      description,
      scope: 'templates:write',
      isAccountWide: true,
      example: COPY_EXAMPLE,
      replies: { 201: { description: 'The copy', schema: z.object({ identifier: z.uuid(), warnings: Warnings }) } },
    }),
    validate('json', CopyFields),
    async (c) => {
      const { template, customer } = c.req.param() as { template: string; customer?: string };
      const { identifier, omitted } = await copyTemplate(c.var.ctx, template, c.req.valid('json'), customer);
      return c.json({ identifier, ...warningsOf(omitted) }, 201);
    },
  );
}

const passTemplateCopyRoutes = new Hono<ApiEnv>()
  .post('/:template', ...copyOperation('copyTemplate', 'Copy a template', COPY_TEXT))
  .post(
    '/:template/:customer',
    ...copyOperation('copyTemplateToCustomer', 'Copy a template to a sub-customer', TARGET_TEXT),
  );

export const passTemplateRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listTemplates',
      summary: 'List templates',
      scope: 'templates:read',
      replies: { 200: { description: 'All templates, oldest first', schema: z.array(TemplateItem) } },
    }),
    readAhead('query', z.object({}), (key) => rowsOf(listTemplates(ownerOfKey(key)))),
    (c) => c.json(c.var.ahead),
  )
  .get(
    '/:identifier',
    operation({
      id: 'readFieldInformation',
      summary: 'Get field information',
      description: 'One item per writable field of the template’s passes.',
      scope: 'templates:read',
      replies: { 200: { description: 'Fillable fields', schema: z.array(FieldItem) } },
    }),
    validate('query', IntegrationStyle),
    async (c) => {
      const { definition } = await getTemplate(c.var.ctx, c.req.param('identifier'));
      return c.json(fieldInformation(definition));
    },
  )
  .route('/copy', passTemplateCopyRoutes)
  .post(
    '/:identifier',
    operation({
      id: 'updateTemplate',
      summary: 'Update some fields of a template',
      description:
        'Use `PATCH /api/v2/pass-template/{id}`, which can change every aspect of a template. Fields that you ' +
        'leave out stay. Existing passes change when the template is published.',
      scope: 'templates:write',
      deprecated: true,
      example: { name: 'Night train', backgroundColor: '#14213d', labelColor: '#fca311' },
      replies: { 200: { description: 'Updated; no body' } },
    }),
    validate('json', UpdateFields),
    async (c) => {
      await updateTemplate(c.var.ctx, c.req.param('identifier'), c.req.valid('json'));
      return c.body(null, 200);
    },
  )
  .delete(
    '/:identifier',
    operation({
      id: 'deleteTemplate',
      summary: 'Delete a template and all of its passes',
      description:
        'Template and passes are unavailable once the reply arrives. Passes are deleted in the background, ' +
        'each with its event `pass_deleted`. You can’t undo this.',
      scope: 'templates:write',
      replies: { 200: { description: 'Deleted; an empty array', schema: z.array(z.never()).max(0) } },
    }),
    async (c) => {
      await deleteTemplate(c.var.ctx, c.req.param('identifier'));
      return c.json([]);
    },
  );
