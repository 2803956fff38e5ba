import { Hono } from 'hono';
import { z } from 'zod';
import { fieldInformation } from '../../domain/passes/field-information.ts';
import { listTemplates } from '../../domain/templates/list-templates.ts';
import { getTemplate } from '../../domain/templates/load-definition.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';

const TemplateItem = z.object({ identifier: z.uuid(), name: z.string() });
const FieldItem = z.object({
  type: z.enum(['unicode', 'datetime']),
  key: z.string(),
  required: z.boolean(),
  label: z.string(),
});
const IntegrationStyle = z.object({
  integrationStyle: z.literal(['true', '1'], 'is required and must be true'),
});

export const passTemplateRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listTemplates',
      summary: 'List templates',
      tag: 'Templates',
      replies: { 200: { description: 'All templates, oldest first', schema: z.array(TemplateItem) } },
    }),
    async (c) => c.json(await listTemplates(c.var.ctx)),
  )
  .get(
    '/:identifier',
    operation({
      id: 'readFieldInformation',
      summary: 'Read field information',
      description: 'One item per field that a pass of this template can be filled with.',
      tag: 'Templates',
      replies: { 200: { description: 'Fillable fields', schema: z.array(FieldItem) } },
      failures: [404],
    }),
    validate('query', IntegrationStyle),
    async (c) => {
      const { definition } = await getTemplate(c.var.ctx, c.req.param('identifier'));
      return c.json(fieldInformation(definition));
    },
  );
