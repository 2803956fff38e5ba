import { Hono } from 'hono';
import { movePass } from '../../domain/passes/move-pass.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeSchema, envelopeV2, NoData } from '../envelope.ts';
import { PASS_IS_BUSY } from '../failures.ts';
import { operation } from '../operation.ts';

export const passRoutes = new Hono<ApiEnv>().post(
  '/:identifier/movetotemplate/:targetTemplateIdentifier',
  operation({
    id: 'movePass',
    summary: 'Move a pass to another template of its project',
    description:
      'Both templates must be in the same project and use the same signing certificate. Values are matched by property name.',
    tag: 'Passes',
    scope: 'passes:write',
    replies: { 200: { description: 'Moved', schema: envelopeSchema(NoData) } },
    conflict: PASS_IS_BUSY,
  }),
  async (c) => {
    const { identifier, targetTemplateIdentifier } = c.req.param();
    await movePass(c.var.ctx, identifier, targetTemplateIdentifier);
    return envelopeV2(c, { description: 'Pass moved' });
  },
);
