import { Hono } from 'hono';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { invalidField } from '../../domain/errors.ts';
import { OwnId, PassName } from '../../domain/fields.ts';
import {
  type BulkUpdate,
  checkBulkCreate,
  checkBulkUpdate,
  type Filter,
  startBulkCreate,
  startBulkUpdate,
} from '../../domain/processes/start-bulk.ts';
import type { DryRun } from '../../domain/processes/start-process.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { PASS_FIELDS_EXAMPLE, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { operationsWith, validate } from '../operation.ts';
import { TemplateName } from '../pass-ahead.ts';
import { ProcessLink, processLink } from './process.ts';

const operation = operationsWith({ tag: 'Bulk operations', scope: 'passes:write' });

/** Maximum number of passes that a request can name. */
const PASSES_MAX = 10_000;

const Identifier = PassName.pipe(z.string().min(1, 'must not be empty'));
const Data = z.looseObject({}, { error: 'must be an object' });
const dryRun = z
  .boolean()
  .default(false)
  .describe(
    'Selects and checks passes without changing them. Counts the places and values that earlier passes of the call take',
  );

const FilterInput = z
  .object({
    identifiers: z.array(Identifier).max(PASSES_MAX).optional(),
    query: z.looseObject({}).optional(),
    segmentId: OwnId.optional(),
  })
  .describe('Exactly one of the three');

const UpdateInput = z.object({
  data: Data.optional().describe('Fields for all selected passes; also `pushNotificationText`'),
  filter: FilterInput.optional(),
  passes: z
    .array(z.object({ identifier: Identifier, data: Data }))
    .max(PASSES_MAX)
    .optional()
    .describe('Instead of `data` and `filter`: the passes, each with its own fields'),
  dryRun,
});

const CreateInput = z.object({ templateId: TemplateName, passes: z.array(Data).max(PASSES_MAX), dryRun });

const DryRunView = z.object({
  dryRun: z.literal(true),
  checked: z.int().describe('Number of checked passes: all selected passes, up to 10,000'),
  errors: z.record(z.string(), z.string()).nullable(),
});

const REPLIES = {
  202: { description: 'Accepted; `count` passes are selected', schema: envelopeV3Schema(ProcessLink) },
  200: { description: 'Result of the dry run', schema: envelopeV3Schema(DryRunView) },
};

/** Returns the handlers of a bulk update. Replace and partial update differ only in `mode`. */
function updateOperation(id: string, summary: string, mode: BulkUpdate['mode']) {
  const clears = 'Clears writable fields that you leave out, except barcode value and bundle.';
  const changes = 'Changes only the fields that you send; null clears a field.';
  return createFactory<ApiEnv>().createHandlers(
    operation({
      id,
      summary,
      description: `${mode === 'replace' ? clears : changes} A background process updates each pass exactly once.`,
      example: {
        data: { storedValue: 10, pushNotificationText: 'Ten points for you' },
        filter: { identifiers: [PASS_FIELDS_EXAMPLE.userProvidedId] },
      },
      replies: REPLIES,
      failures: [404],
    }),
    validate('json', UpdateInput),
    async (c) => {
      const { ctx } = c.var;
      const input = c.req.valid('json');
      const update: BulkUpdate = { mode, change: changeOf(input) };
      if (input.dryRun) return dryRunReply(c, await checkBulkUpdate(ctx, update));
      const { id: processId, count } = await startBulkUpdate(ctx, update);
      const data = processLink(ctx, processId);
      return envelopeV3(c, { description: 'Passes are being updated', data, statusCode: 202, count });
    },
  );
}

function changeOf({ data, filter, passes }: z.infer<typeof UpdateInput>): BulkUpdate['change'] {
  if (passes) {
    if (data || filter) throw invalidField('passes', 'must not be sent together with data and filter');
    return { passes };
  }
  if (!data) throw invalidField('data', 'is required and must be an object');
  if (!filter) throw invalidField('filter', 'is required and must be an object');
  const sent = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (sent.length !== 1) throw invalidField('filter', 'must have exactly one of identifiers, query, segmentId');
  return { data, filter: filter as Filter };
}

function dryRunReply(c: Parameters<typeof envelopeV3>[0], { count, checked, errors }: DryRun): Response {
  return envelopeV3(c, { description: 'Nothing was changed', data: { dryRun: true, checked, errors }, count });
}

export const bulkRoutes = new Hono<ApiEnv>()
  .post('/', ...updateOperation('replacePassesV3', 'Replace many passes', 'replace'))
  .patch('/', ...updateOperation('updatePassesV3', 'Update many passes', 'patch'))
  .post(
    '/create',
    operation({
      id: 'createPassesV3',
      summary: 'Create many passes',
      description:
        'A background process creates the passes. Its errors name a pass by userProvidedId, or by its index in `passes`.',
      example: { templateId: TEMPLATE_ID_EXAMPLE, passes: [PASS_FIELDS_EXAMPLE] },
      replies: REPLIES,
      failures: [404],
    }),
    validate('json', CreateInput),
    async (c) => {
      const { ctx } = c.var;
      const { dryRun: isDryRun, ...create } = c.req.valid('json');
      if (isDryRun) return dryRunReply(c, await checkBulkCreate(ctx, create));
      const { id } = await startBulkCreate(ctx, create);
      const data = processLink(ctx, id);
      return envelopeV3(c, {
        description: 'Passes are being created',
        data,
        statusCode: 202,
        count: create.passes.length,
      });
    },
  );
