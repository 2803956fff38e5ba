import { Hono } from 'hono';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { changeBundle } from '../../domain/bundles/change-bundle.ts';
import { getBundle } from '../../domain/bundles/find-bundle.ts';
import { checked } from '../../domain/check.ts';
import { DomainError } from '../../domain/errors.ts';
import { PassName } from '../../domain/fields.ts';
import { BUNDLE_PASSES_MAX, NAME_CHARS_MAX } from '../../domain/limits.ts';
import { newIdIn } from '../../domain/write-once.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeSchema, envelopeV2, NoData } from '../envelope.ts';
import { ORIGIN } from '../examples.ts';
import { PASS_IS_BUSY } from '../failures.ts';
import { operationsWith, validate } from '../operation.ts';
import { text } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Bundles' });

const BundleInput = z.object({
  passes: z
    .array(PassName.pipe(z.string().min(1, 'must not be empty')))
    .min(1, 'must name at least one pass')
    .max(BUNDLE_PASSES_MAX, `a bundle has at most ${BUNDLE_PASSES_MAX} passes`),
});
const VoidInput = z.object({ voided: z.boolean() });
const BundlePath = z.object({ bundleId: z.string().max(NAME_CHARS_MAX) });

/** The only failure with empty `errors`. */
const NO_SUCH_BUNDLE = { success: false, description: 'Object not found', errors: [], data: [], statusCode: 404 };

const BundleView = z.object({ bundleId: z.string(), urlToPass: text(`${ORIGIN}/p/Zb7LwYc5RjHdkM3vQ8sT1x`) });
const MembersView = z.object({ passes: z.array(z.uuid()) });

const INPUT_EXAMPLE = { passes: ['01980b5e-4a30-7a52-9c11-0242ac120000', 'booking-4711'] };
const ADD_TEXT =
  'Passes are named by identifier, userProvidedId, barcode value or generatedId. A pass can be in only ' +
  'one bundle, so it leaves its previous one.';

/** Returns the handlers that add passes to a bundle. The two operations differ only in who chooses the identifier. */
function addOperation(id: string, summary: string, description: string) {
  return createFactory<ApiEnv>().createHandlers(
    operation({
      id,
      summary,
      description,
      scope: 'passes:write',
      example: INPUT_EXAMPLE,
      replies: { 200: { description: 'Created or updated', schema: envelopeSchema(BundleView) } },
      failures: id === 'addToBundle' ? [404] : [],
      conflict: PASS_IS_BUSY,
    }),
    validate('json', BundleInput),
    async (c) => {
      const { bundleId } = checked(BundlePath, {
        bundleId: c.req.param('bundleId') ?? newIdIn(c.var.ctx, 0, 'bundle'),
      });
      const names = [...new Set(c.req.valid('json').passes)];
      const data = await changeBundle(c.var.ctx, bundleId, (bundle, caller) => bundle.add(caller, bundleId, names));
      return envelopeV2(c, { description: 'Passes bundled', data });
    },
  );
}

export const passBundleRoutes = new Hono<ApiEnv>()
  .post('/', ...addOperation('createBundle', 'Create a bundle with a random identifier', ADD_TEXT))
  .post(
    '/:bundleId',
    ...addOperation(
      'addToBundle',
      'Create a bundle with your identifier',
      `Adds passes to the bundle, and creates it if needed. ${ADD_TEXT} A key with \`templateIds\` gets a 404 for a ` +
        'bundle with a pass of another template.',
    ),
  )
  .get(
    '/:bundleId',
    operation({
      id: 'readBundle',
      summary: 'Get a bundle',
      scope: 'passes:read',
      replies: { 200: { description: 'Identifiers of its passes', schema: envelopeSchema(MembersView) } },
    }),
    async (c) => {
      const passes = await getBundle(c.var.ctx, c.req.param('bundleId'));
      return envelopeV2(c, { description: 'Pass bundle', data: { passes } });
    },
  )
  .put(
    '/void/:bundleId',
    operation({
      id: 'voidBundle',
      summary: 'Void or restore all passes of a bundle',
      scope: 'passes:write',
      example: { voided: true },
      replies: { 200: { description: 'Identifiers of its passes', schema: envelopeSchema(MembersView) } },
      conflict: PASS_IS_BUSY,
    }),
    validate('json', VoidInput),
    async (c) => {
      const { voided } = c.req.valid('json');
      const bundleId = c.req.param('bundleId');
      const passes = await changeBundle(c.var.ctx, bundleId, (bundle, caller) => bundle.void(caller, bundleId, voided));
      return envelopeV2(c, { description: voided ? 'Passes voided' : 'Passes restored', data: { passes } });
    },
  )
  .delete(
    '/:bundleId',
    operation({
      id: 'deleteBundle',
      summary: 'Delete a bundle',
      scope: 'passes:write',
      replies: { 200: { description: 'Deleted', schema: envelopeSchema(NoData) } },
      conflict: PASS_IS_BUSY,
    }),
    async (c) => {
      const bundleId = c.req.param('bundleId');
      try {
        await changeBundle(c.var.ctx, bundleId, (bundle, caller) => bundle.dissolve(caller, bundleId));
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'not_found') return c.json(NO_SUCH_BUNDLE, 404);
        throw error;
      }
      return envelopeV2(c, { description: 'Pass bundle deleted' });
    },
  );
