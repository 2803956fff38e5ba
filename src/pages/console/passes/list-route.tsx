import { Hono } from 'hono';
import { DomainError, type Issue, invalid, invalidField } from '../../../domain/errors.ts';
import { checkQuery, type ResolvedQuery } from '../../../domain/search/check-query.ts';
import { chosenScope, searchChoices } from '../../../domain/search/choices.ts';
import { searchPassRows } from '../../../domain/search/search-passes.ts';
import { createSegment, deleteSegment, getSegment } from '../../../domain/search/segments.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Confirm } from '../parts.tsx';
import { page, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { exportReply } from './export-passes.ts';
import { PassListPage, SECTION } from './pass-list-page.tsx';
import { afterButton, fromQuery, type PassesForm, parseQuery, readForm, toQuery, writeForm } from './query-form.ts';
import { isVisibleQuery, visibleQuery } from './visible-fields.ts';

const PAGE_PASSES = 50;
const TITLE_CHARS_MAX = 100;

/** Routes for the list of passes, its export, and segments. */
export const passListRoutes = new Hono<AccountEnv>();

passListRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const parameters = new URL(c.req.url).searchParams;
  const form = await formOf(c);
  const changed = afterButton(form, parameters);
  if (changed) return c.redirect(`${baseOf(c)}?${writeForm(changed)}`, 303);
  const choices = await searchChoices(acting, form.templateId);
  const query = toQuery(form);
  const shown = { form, choices, query, now: Date.now() };
  const { resolved, problems, isHidden } = await resolve(c, form, choices);
  if (isHidden) {
    // A segment's query may contain values that the member must not see.
    const bare = { ...form, phrase: '', rows: [], segmentId: undefined };
    return page(c, <PassListPage {...shown} form={bare} query={{}} problems={problems} isFirst />, 403);
  }
  if (!resolved) return page(c, <PassListPage {...shown} problems={problems} isFirst />, 400);
  const sent = parameters.get('after') ?? '';
  const after = UUID_PATTERN.test(sent) ? sent : undefined;
  const found = await searchPassRows(acting, resolved, { after, limit: PAGE_PASSES });
  return page(c, <PassListPage {...shown} problems={[]} found={found} isFirst={after === undefined} />);
});

/** Returns the form of the address, or of the segment that the address names. */
async function formOf(c: AccountPageContext): Promise<PassesForm> {
  const parameters = new URL(c.req.url).searchParams;
  const form = readForm(parameters);
  const segmentId = parameters.get('segment');
  if (segmentId === null) return form;
  const { query } = await getSegment(c.var.acting, segmentId);
  return fromQuery(query, form.columns, segmentId);
}

/** Returns the form's query, or its issues. */
async function resolve(
  c: AccountPageContext,
  form: PassesForm,
  choices: Awaited<ReturnType<typeof searchChoices>>,
): Promise<{ resolved?: ResolvedQuery; problems: Issue[]; isHidden?: boolean }> {
  const { acting, privileges } = c.var;
  const scope = chosenScope(acting, choices, form);
  let query: Record<string, unknown>;
  try {
    query = visibleQuery(toQuery(form), privileges, choices.definition);
    if (form.segmentId && !isVisibleQuery(toQuery(form), privileges))
      throw invalid('This segment needs the privilege personal_data');
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return { problems: error.issues, isHidden: true };
    throw error;
  }
  try {
    return { resolved: await checkQuery(acting, query, scope), problems: [] };
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return { problems: error.issues };
    throw error;
  }
}

/** Exports all matching passes as CSV. `mark` adds a byte order mark, which Excel needs. */
passListRoutes.get('/export', requirePrivilege('personal_data'), async (c) => {
  const { acting } = c.var;
  const parameters = new URL(c.req.url).searchParams;
  return exportReply(acting, toQuery(await formOf(c)), { mark: parameters.get('mark') !== 'no' });
});

const mayEdit = requirePrivilege('passes.edit');

passListRoutes.post('/segments', mayEdit, async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const title = textOf(form, 'title').trim();
  const query = parseQuery(textOf(form, 'query'));
  if (title === '' || title.length > TITLE_CHARS_MAX)
    throw invalidField('title', `must have 1 to ${TITLE_CHARS_MAX} characters`);
  await createSegment(acting, title, query);
  return c.redirect(`${baseOf(c)}?${writeForm(fromQuery(query, []))}`, 303);
});

passListRoutes.get('/segments/:segment/delete', mayEdit, async (c) => {
  const { acting } = c.var;
  const { identifier, title, query } = await getSegment(acting, c.req.param('segment'));
  const base = baseOf(c);
  return page(
    c,
    <AccountLayout title="Delete segment" section={SECTION}>
      <Confirm
        action={`${base}/segments/${identifier}/delete`}
        button="Delete segment"
        back={isVisibleQuery(query, c.var.privileges) ? `${base}?${writeForm(fromQuery(query, []))}` : base}
      >
        Deletes the saved search “{title}”, also for API callers that use it. Its passes are kept.
      </Confirm>
    </AccountLayout>,
  );
});

passListRoutes.post('/segments/:segment/delete', mayEdit, async (c) => {
  const { acting } = c.var;
  const id = c.req.param('segment');
  await deleteSegment(acting, id);
  return c.redirect(baseOf(c), 303);
});

function baseOf(c: AccountPageContext): string {
  return sectionPath(c.var.acting.account.id, SECTION);
}
