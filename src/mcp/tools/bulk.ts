import * as z from 'zod';
import { CHANGES, READS, segment, tool } from '../tool.ts';
import { dataOf, ErrorsShown, errorsShown, textArgument, When } from './fields.ts';
import { changedData } from './passes.ts';

const Filter = z
  .strictObject({
    identifiers: z.array(z.string()).optional().describe('Identifiers, userProvidedIds or barcode values'),
    query: z.looseObject({}).optional().describe('searchPhrase, templateId, projectId and groups, as in search_passes'),
    segmentId: textArgument('A stored query').optional(),
  })
  .describe('Exactly one of the three');

const Started = z.object({
  dryRun: z.boolean().describe('true: nothing was changed'),
  count: z.int().describe('Number of selected passes'),
  checked: z.int().optional(),
  errors: ErrorsShown.errors.optional(),
  errorsTotal: ErrorsShown.errorsTotal.optional(),
  processId: z.string().optional().describe('Follow it with process_status'),
});

type Outcome = { processId: string } | { checked: number; errors: Record<string, string> | null };

/** Updates many passes. This is hard to undo, so it is a dry run unless the caller asks for the change. */
export const bulkUpdate = tool({
  name: 'bulk_update',
  title: 'Update many passes',
  description:
    'Changes the same fields of all passes that `filter` selects, or different fields of each pass in `passes`. It is a dry run that changes nothing unless `dryRun` is false: call it first, show the count to the user, then call it again with `dryRun: false`.',
  operation: 'updatePassesV3',
  scope: 'passes:write',
  hints: { ...CHANGES, openWorldHint: true },
  input: z.strictObject({
    data: changedData({ voided: z.boolean().optional(), pushNotificationText: z.string().optional() }).optional(),
    filter: Filter.optional(),
    passes: z
      .array(z.looseObject({}))
      .optional()
      .describe('Instead of data and filter: [{"identifier": "…", "data": {…}}]'),
    dryRun: z.boolean().default(true),
  }),
  output: Started,
  request: (args) => ({ method: 'PATCH', path: '/api/v3/pass/bulk', body: args }),
  result: (reply, { dryRun }) => {
    const { count } = reply as { count: number };
    const outcome = dataOf(reply) as Outcome;
    if ('processId' in outcome) return { dryRun, count, processId: outcome.processId };
    return { dryRun, count, checked: outcome.checked, ...errorsShown(outcome.errors) };
  },
  ifUnknown: 'Call search_passes or list_templates, and use the identifiers that they return.',
  ifInvalid:
    'Send data with filter, such as {"data": {"storedValue": 10}, "filter": {"query": {"templateId": "…"}}}, or passes.',
});

const Status = z.object({
  identifier: z.string(),
  status: z.string().describe('in progress, finished, or finished with errors'),
  current: z.int().describe('Processed items'),
  total: z.int(),
  cancelled: z.int().optional(),
  createdOn: When,
  ...ErrorsShown,
  result: z.record(z.string(), z.unknown()).optional(),
});

export const processStatus = tool({
  name: 'process_status',
  title: 'Show the progress of a process',
  description: 'Shows the progress of a bulk operation, and which passes it could not change.',
  operation: 'readProcess',
  scope: 'passes:read',
  isAccountWide: true,
  hints: READS,
  input: z.strictObject({ id: textArgument('processId of the call that started it') }),
  output: Status,
  request: ({ id }) => ({ method: 'GET', path: `/api/v3/process/${segment(id)}` }),
  result: (reply, { id }) => {
    const state = dataOf(reply) as { errors: Record<string, string> | null };
    return Status.parse({ ...state, identifier: id, ...errorsShown(state.errors) });
  },
  ifUnknown: 'Use the processId that bulk_update returned; processes are deleted some time after they end.',
});
