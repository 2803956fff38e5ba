import { Hono } from 'hono';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { CopyFields, copyTemplate } from '../../domain/templates/copy-template.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';
import { Warnings, warningsOf } from '../template-warnings.ts';

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
      tag: 'Templates',
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

export const passTemplateCopyRoutes = new Hono<ApiEnv>()
  .post('/:template', ...copyOperation('copyTemplate', 'Copy a template', COPY_TEXT))
  .post(
    '/:template/:customer',
    ...copyOperation('copyTemplateToCustomer', 'Copy a template to a sub-customer', TARGET_TEXT),
  );
