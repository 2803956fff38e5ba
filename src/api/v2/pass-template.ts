import { Hono } from 'hono';
import { z } from 'zod';
import { createTemplate } from '../../domain/templates/create-template.ts';
import { TemplateDefinition } from '../../domain/templates/definition.ts';
import { describeTemplate } from '../../domain/templates/describe-template.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeSchema, envelopeV2 } from '../envelope.ts';
import { TEMPLATE_EXAMPLE } from '../examples.ts';
import { operation, validate } from '../operation.ts';

export const passTemplateRoutes = new Hono<ApiEnv>()
  .post(
    '/',
    operation({
      id: 'createTemplate',
      summary: 'Create a template',
      description:
        'Takes a whole definition. Images are URLs or base64; they are fetched, checked and stored before the reply.',
      tag: 'Templates',
      example: TEMPLATE_EXAMPLE,
      replies: {
        201: { description: 'Created', schema: envelopeSchema(z.object({ identifier: z.uuid() })) },
      },
    }),
    validate('json', TemplateDefinition),
    async (c) => {
      const identifier = await createTemplate(c.var.ctx, c.req.valid('json'));
      return envelopeV2(c, { description: 'Template created', data: { identifier }, statusCode: 201 });
    },
  )
  .get(
    '/:id/describe',
    operation({
      id: 'describeTemplate',
      summary: 'Read a whole definition',
      description:
        'The reply’s `data` can be sent back to create another template. Images are addresses of this service.',
      tag: 'Templates',
      replies: {
        200: { description: 'The definition', schema: envelopeSchema(z.looseObject({ identifier: z.uuid() })) },
      },
      failures: [404],
    }),
    async (c) => {
      const data = await describeTemplate(c.var.ctx, c.req.param('id'));
      return envelopeV2(c, { description: 'Template', data });
    },
  );
