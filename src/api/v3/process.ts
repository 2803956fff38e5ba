import { type Context, Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { grants } from '../../domain/api-keys/scopes.ts';
import type { AccountContext } from '../../domain/context.ts';
import { describeIssues } from '../../domain/errors.ts';
import { OwnId } from '../../domain/fields.ts';
import { exportLink } from '../../domain/persons/export-link.ts';
import { PROCESS_RETENTION_DAYS } from '../../domain/processes/delete-processes.ts';
import {
  cancelProcess,
  getProcess,
  type ListedProcess,
  listProcesses,
  retryProcess,
  watchProcess,
} from '../../domain/processes/manage-process.ts';
import type { CanceledProcess, ProcessState } from '../../domain/processes/process-state.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import { formatDateTime } from '../../platform/dates.ts';
import { lowerUuid } from '../../platform/ids.ts';
import { EVENT_STREAM_HEADERS, toServerSentEvents } from '../../platform/server-sent-events.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { ORIGIN, PASS_ID_EXAMPLE } from '../examples.ts';
import { operationsWith, PageSize } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { Count, LocalTime, like, text } from '../view-fields.ts';

const Totals = {
  current: Count.describe('Items processed so far, including failed ones'),
  total: Count,
  createdOn: LocalTime,
  status: like(z.enum(['in progress', 'finished', 'finished with errors']), 'finished'),
};

/** A process. */
const ProcessView = z.object({
  ...Totals,
  errors: z
    .record(z.string(), z.string())
    .nullable()
    .describe(
      'Messages by identifier, userProvidedId or array index of the failed items, or by property name; ' +
        'at most 10,000, with 2,000,000 characters',
    ),
  cancelled: like(z.int(), 0).optional().describe('Canceled items; not included in `total`'),
  result: z
    .record(z.string(), z.union([z.int(), z.string()]))
    .optional()
    .describe(
      'Counts of what a process about a person found, exported or erased, by name. A finished export also has ' +
        '`validUntil` and, if the key has the scope `persons:manage`, `url`, a link to the archive',
    ),
});

/** A process in a list. */
const ListedProcessView = z.object({ identifier: z.uuid(), ...Totals });

/** Returns a process for replies. The link of an export gives access to personal data. */
function processView(c: Context<ApiEnv>, id: string, state: ProcessState): z.infer<typeof ProcessView> {
  const { ctx } = c.var;
  const errors = Object.entries(state.errors).map(([name, issues]) => [name, describeIssues(issues)] as const);
  const hasErrors = errors.length > 0;
  return {
    ...totalsView(ctx, { ...state, hasErrors }),
    errors: hasErrors ? Object.fromEntries(errors) : null,
    ...(state.cancelled > 0 ? { cancelled: state.cancelled } : {}),
    ...resultView(ctx, state, canManagePersons(c) ? exportLink(ctx, id, state) : undefined),
  };
}

function resultView(ctx: AccountContext, { result }: ProcessState, link: ReturnType<typeof exportLink>) {
  if (!result && !link) return {};
  const linked = link && { url: link.url, validUntil: formatDateTime(link.validUntil, ctx.account.timezone) };
  return { result: { ...result, ...linked } };
}

function listedProcessView(ctx: AccountContext, row: ListedProcess): z.infer<typeof ListedProcessView> {
  return { identifier: row.id, ...totalsView(ctx, { ...row, hasErrors: row.failed > 0 }) };
}

type Counted = Pick<ProcessState, 'current' | 'total' | 'createdAt' | 'finishedAt'> & { hasErrors: boolean };

function totalsView(ctx: AccountContext, { current, total, createdAt, finishedAt, hasErrors }: Counted) {
  const ended = hasErrors ? ('finished with errors' as const) : ('finished' as const);
  return {
    current,
    total,
    createdOn: formatDateTime(createdAt, ctx.account.timezone),
    status: finishedAt === null ? ('in progress' as const) : ended,
  };
}

/** Location of a process, in the reply that starts it. */
export const ProcessLink = z.object({
  process: text(`${ORIGIN}/api/v3/process/${PASS_ID_EXAMPLE}`),
  processId: z.uuid(),
});

export function processLink(ctx: AccountContext, processId: string): z.infer<typeof ProcessLink> {
  return { process: `${ctx.baseUrl}/api/v3/process/${processId}`, processId };
}

const canManagePersons = (c: Context<ApiEnv>) => grants(c.var.rights.scopes, 'persons:manage');

/** Passes of a person are erased by this scope alone, so `passes:write` isn't enough to stop or repeat it. */
const rightsOf = (c: Context<ApiEnv>) =>
  canManagePersons(c) ? {} : { personsRefusal: 'missing scope: persons:manage' };

/** Returns the result of a cancellation as text. */
function cancellationOf({ hadEnded, stopped }: CanceledProcess): string {
  if (hadEnded) return 'The process had already ended';
  return stopped > 0 ? 'Process canceled' : 'No items were left to cancel; those in progress finish';
}

const operation = operationsWith({ tag: 'Processes', isAccountWide: true });

const OF_PERSONS = 'An export or erasure of a person also needs the scope `persons:manage`.';

const ListQuery = z.object({
  pageSize: PageSize,
  startUid: OwnId.pipe(z.uuid()).optional().describe('Identifier of the last process on the previous page'),
});

export const processRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listProcesses',
      summary: 'List processes',
      description:
        `Newest first. The counts of a running process can be a few seconds old. Processes are deleted ` +
        `${PROCESS_RETENTION_DAYS} days after they end.`,
      scope: 'passes:read',
      replies: { 200: { description: 'Processes', schema: envelopeV3Schema(z.array(ListedProcessView)) } },
    }),
    readAhead('query', ListQuery, (key, { pageSize, startUid }) =>
      rowsOf(listProcesses(ownerOfKey(key), { before: startUid, limit: pageSize })),
    ),
    (c) => {
      const { ctx, ahead } = c.var;
      const data = ahead.map((row) => listedProcessView(ctx, row));
      return envelopeV3(c, { description: 'Processes', data, count: data.length });
    },
  )
  .get(
    '/:id',
    operation({
      id: 'readProcess',
      summary: 'Get a process',
      scope: 'passes:read',
      replies: { 200: { description: 'The process', schema: envelopeV3Schema(ProcessView) } },
    }),
    async (c) => {
      const { ctx } = c.var;
      const id = lowerUuid(c.req.param('id'));
      const data = processView(c, id, await getProcess(ctx, id));
      return envelopeV3(c, { description: 'Process', data, count: 1 });
    },
  )
  .get(
    '/:id/events',
    operation({
      id: 'watchProcess',
      summary: 'Follow a process',
      description:
        'Sends server-sent events of type `process` with the process as data: at once, after each change, and ' +
        'when the process ends. Then the stream ends. At most 20 connections can follow a process at a time.',
      scope: 'passes:read',
      replies: { 200: { description: 'The events', schema: z.string(), type: 'text/event-stream' } },
    }),
    async (c) => {
      const { ctx } = c.var;
      const id = lowerUuid(c.req.param('id'));
      const lines = await watchProcess(ctx, id);
      const events = toServerSentEvents('process', (state) => processView(c, id, state as ProcessState));
      return c.body(lines.pipeThrough(events), 200, EVENT_STREAM_HEADERS);
    },
  )
  .delete(
    '/:id',
    operation({
      id: 'cancelProcess',
      summary: 'Cancel a process',
      description: `Items in progress finish; the others stay unchanged. \`description\` says whether there were any. ${OF_PERSONS}`,
      scope: 'passes:write',
      replies: { 200: { description: 'The process', schema: envelopeV3Schema(ProcessView) } },
    }),
    async (c) => {
      const { ctx } = c.var;
      const id = lowerUuid(c.req.param('id'));
      const state = await cancelProcess(ctx, id, rightsOf(c));
      const data = processView(c, id, state);
      return envelopeV3(c, { description: cancellationOf(state), data, count: 1 });
    },
  )
  .post(
    '/:id/retry',
    operation({
      id: 'retryProcess',
      summary: 'Retry the failed items of a process',
      description: OF_PERSONS,
      scope: 'passes:write',
      replies: { 202: { description: 'Accepted; `count` items are retried', schema: envelopeV3Schema(ProcessLink) } },
    }),
    async (c) => {
      const { ctx } = c.var;
      const id = lowerUuid(c.req.param('id'));
      const count = await retryProcess(ctx, id, rightsOf(c));
      const data = processLink(ctx, id);
      const description = count > 0 ? 'Failed items are retried' : 'There are no failed items to retry';
      return envelopeV3(c, { description, data, statusCode: 202, count });
    },
  );
