import { Hono } from 'hono';
import { describeIssues } from '../../../domain/errors.ts';
import { exportLink } from '../../../domain/persons/export-link.ts';
import {
  cancelProcess,
  getProcess,
  listProcesses,
  retryProcess,
  watchProcess,
} from '../../../domain/processes/manage-process.ts';
import type { ProcessState } from '../../../domain/processes/process-state.ts';
import { newestDefinitionQuery, toDefinedTemplate } from '../../../domain/templates/get-template.ts';
import { csvLine } from '../../../platform/csv.ts';
import { EVENT_STREAM_HEADERS, toServerSentEvents } from '../../../platform/server-sent-events.ts';
import { confirmPath, pathOf } from '../confirm/held-form.ts';
import { hasFreshSignIn } from '../confirm/require-fresh-sign-in.tsx';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { withLabels } from '../passes/form-values.ts';
import { formFields } from '../passes/pass-form.ts';
import { csvHeaders, listed, PAGE_ROWS, page, pathTo, uuidIn } from '../reply.tsx';
import { privilegeRefusal, requirePrivilege } from '../require-user.ts';
import { ProcessListPage, ProcessPage, SECTION } from './process-pages.tsx';

/** Reload interval in seconds for pages without scripts, if the reader chose it. */
const REFRESH_SECONDS = 5;

/** Routes for bulk operations. */
export const processRoutes = new Hono<AccountEnv>();

processRoutes.get('/', async (c) => {
  const before = uuidIn(c, 'before');
  const found = await listProcesses(c.var.acting, { before, limit: PAGE_ROWS + 1 });
  return page(c, <ProcessListPage {...listed(found, before, ({ id }) => id)} />);
});

/**
 * Returns the process. An import's errors use the labels of the form; after its template is deleted, they stay
 * unchanged.
 */
async function getWorded(c: AccountPageContext, id: string): Promise<ProcessState> {
  const state = await getProcess(c.var.acting, id);
  const { templateId, errors } = state;
  if (templateId === null || Object.keys(errors).length === 0) return state;
  const [row] = await newestDefinitionQuery(c.var.acting, templateId);
  if (!row) return state;
  const fields = formFields(toDefinedTemplate(row).definition);
  const worded = Object.entries(errors).map(([name, issues]) => [name, withLabels(fields, issues)]);
  return { ...state, errors: Object.fromEntries(worded) };
}

processRoutes.get('/:process', async (c) => {
  const id = c.req.param('process');
  const state = await getWorded(c, id);
  const isWatched = c.req.query('watch') !== undefined && state.finishedAt === null;
  if (isWatched) c.header('Refresh', String(REFRESH_SECONDS));
  const from = Number.parseInt(c.req.query('from') ?? '', 10) || 0;
  const link = exportLink(c.var.acting, id, state);
  const archive = link && (hasFreshSignIn(c) ? link : { confirm: confirmPath(pathOf(c.req.url)) });
  const shown = { id, state, from: Math.max(0, from), isWatched, archive };
  return page(c, <ProcessPage {...shown} />);
});

/** Event stream for the page's script: the totals after each change. */
processRoutes.get('/:process/events', async (c) => {
  const lines = await watchProcess(c.var.acting, c.req.param('process'));
  const totals = toServerSentEvents('process', (line) => {
    const { current, total, failed, cancelled, finishedAt } = line as ProcessState;
    return { current, total, failed, cancelled, isFinished: finishedAt !== null };
  });
  return c.body(lines.pipeThrough(totals), 200, EVENT_STREAM_HEADERS);
});

processRoutes.get('/:process/errors.csv', requirePrivilege('personal_data'), async (c) => {
  const id = c.req.param('process');
  const { errors } = await getWorded(c, id);
  const lines = Object.entries(errors).map(([name, issues]) => csvLine([name, describeIssues(issues)]));
  return c.body(csvLine(['pass', 'error']) + lines.join(''), 200, csvHeaders(`errors-${id}.csv`));
});

const rightsOf = (c: AccountPageContext) => ({ personsRefusal: privilegeRefusal(c, 'personal_data') });

const VERBS = {
  cancel: (c: AccountPageContext, id: string): Promise<unknown> => cancelProcess(c.var.acting, id, rightsOf(c)),
  retry: (c: AccountPageContext, id: string): Promise<unknown> => retryProcess(c.var.acting, id, rightsOf(c)),
};

for (const [verb, work] of Object.entries(VERBS)) {
  processRoutes.post(`/:process/${verb}`, requirePrivilege('passes.edit'), async (c) => {
    const id = c.req.param('process');
    await work(c, id);
    return c.redirect(pathTo(c, SECTION, id), 303);
  });
}
