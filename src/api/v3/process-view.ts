import * as z from 'zod';
import type { AccountContext } from '../../domain/context.ts';
import { describeIssues } from '../../domain/errors.ts';
import { exportLink } from '../../domain/persons/export-link.ts';
import type { ListedProcess } from '../../domain/processes/manage-process.ts';
import type { ProcessState } from '../../domain/processes/process-state.ts';
import { formatDateTime } from '../../platform/dates.ts';
import { ORIGIN, PASS_ID_EXAMPLE } from '../examples.ts';
import { Count, LocalTime, like, text } from '../view-fields.ts';

const Totals = {
  current: Count.describe('Items processed so far, including failed ones'),
  total: Count,
  createdOn: LocalTime,
  status: like(z.enum(['in progress', 'finished', 'finished with errors']), 'finished'),
};

/** A process. */
export const ProcessView = z.object({
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
export const ListedProcessView = z.object({ identifier: z.uuid(), ...Totals });

/** Returns a process for replies. `isLinkVisible`: whether the caller may see the link of an export. */
export function processView(
  ctx: AccountContext,
  id: string,
  state: ProcessState,
  { isLinkVisible }: { isLinkVisible: boolean },
): z.infer<typeof ProcessView> {
  const errors = Object.entries(state.errors).map(([name, issues]) => [name, describeIssues(issues)] as const);
  const hasErrors = errors.length > 0;
  return {
    ...totalsView(ctx, { ...state, hasErrors }),
    errors: hasErrors ? Object.fromEntries(errors) : null,
    ...(state.cancelled > 0 ? { cancelled: state.cancelled } : {}),
    ...resultView(ctx, state, isLinkVisible ? exportLink(ctx, id, state) : undefined),
  };
}

function resultView(ctx: AccountContext, { result }: ProcessState, link: ReturnType<typeof exportLink>) {
  if (!result && !link) return {};
  const linked = link && { url: link.url, validUntil: formatDateTime(link.validUntil, ctx.account.timezone) };
  return { result: { ...result, ...linked } };
}

export function listedProcessView(ctx: AccountContext, row: ListedProcess): z.infer<typeof ListedProcessView> {
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
