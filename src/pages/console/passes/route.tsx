import { Hono } from 'hono';
import type { AccountContext } from '../../../domain/context.ts';
import { DomainError, type Issue, invalid, invalidField } from '../../../domain/errors.ts';
import { filePath, pagePath } from '../../../domain/passes/page/links.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import { checkQuery, type ResolvedQuery } from '../../../domain/search/check-query.ts';
import { chosenScope, searchChoices } from '../../../domain/search/choices.ts';
import { eachPageOfPasses, searchPassRows } from '../../../domain/search/search-passes.ts';
import { createSegment, deleteSegment, getSegment } from '../../../domain/search/segments.ts';
import { getScopeDefinitions } from '../../../domain/search/template-facts.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { BYTE_ORDER_MARK, csvLine } from '../../../platform/csv.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { ConfirmationPage } from '../console-layout.tsx';
import { csvHeaders, page, pathTo, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { bulkRoutes } from './bulk-route.tsx';
import { importRoutes } from './import-route.tsx';
import { PassListPage, SECTION } from './pass-list-page.tsx';
import { passPageRoutes } from './pass-route.tsx';
import { afterButton, fromQuery, type PassesForm, parseQuery, readForm, toQuery, writeForm } from './query-form.ts';
import { isVisibleQuery, visibleQuery } from './visible-fields.ts';

const PAGE_PASSES = 50;
const TITLE_CHARS_MAX = 100;

/** Routes for the list of passes, its export, and segments. */
const passListRoutes = new Hono<AccountEnv>();

passListRoutes.get('/', async (c) => {
  const parameters = new URL(c.req.url).searchParams;
  const form = await formOf(c);
  const changed = afterButton(form, parameters);
  if (changed) return c.redirect(`${pathTo(c, SECTION)}?${writeForm(changed)}`, 303);
  const choices = await searchChoices(c.var.acting, form.templateId);
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
  const found = await searchPassRows(c.var.acting, resolved, { after, limit: PAGE_PASSES });
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
  const parameters = new URL(c.req.url).searchParams;
  return exportReply(c.var.acting, toQuery(await formOf(c)), { mark: parameters.get('mark') !== 'no' });
});

const mayEdit = requirePrivilege('passes.edit');

passListRoutes.post('/segments', mayEdit, async (c) => {
  const form = await c.req.parseBody();
  const title = textOf(form, 'title').trim();
  const query = parseQuery(textOf(form, 'query'));
  if (title === '' || title.length > TITLE_CHARS_MAX)
    throw invalidField('title', `must have 1 to ${TITLE_CHARS_MAX} characters`);
  await createSegment(c.var.acting, title, query);
  return c.redirect(`${pathTo(c, SECTION)}?${writeForm(fromQuery(query, []))}`, 303);
});

passListRoutes.get('/segments/:segment/delete', mayEdit, async (c) => {
  const { identifier, title, query } = await getSegment(c.var.acting, c.req.param('segment'));
  const base = pathTo(c, SECTION);
  return page(
    c,
    <ConfirmationPage
      title="Delete segment"
      section={SECTION}
      action={`${base}/segments/${identifier}/delete`}
      button="Delete segment"
      back={isVisibleQuery(query, c.var.privileges) ? `${base}?${writeForm(fromQuery(query, []))}` : base}
    >
      Deletes the saved search “{title}”, also for API callers that use it. Its passes are kept.
    </ConfirmationPage>,
  );
});

passListRoutes.post('/segments/:segment/delete', mayEdit, async (c) => {
  await deleteSegment(c.var.acting, c.req.param('segment'));
  return c.redirect(pathTo(c, SECTION), 303);
});

type Cell = string | number | boolean | null | undefined;
type ExportColumn = [title: string, cell: (pass: Pass) => Cell];

/**
 * Returns all matching passes as CSV, streamed while they are read. Throws like `checkQuery`, before anything is sent.
 */
async function exportReply(
  ctx: AccountContext,
  query: Record<string, unknown>,
  { mark }: { mark: boolean },
): Promise<Response> {
  const resolved = await checkQuery(ctx, query);
  const definitions = await getScopeDefinitions(ctx, resolved.scope);
  const columns = [...builtIn(ctx, definitions), ...ownColumns(definitions)];
  const encoder = new TextEncoder();
  const head = (mark ? BYTE_ORDER_MARK : '') + csvLine(columns.map(([title]) => title));
  const pages = eachPageOfPasses(ctx, resolved);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    async pull(controller) {
      const { value: passes, done } = await pages.next();
      if (done) return controller.close();
      const lines = passes.map((pass) => csvLine(columns.map(([, cell]) => cell(pass))));
      controller.enqueue(encoder.encode(lines.join('')));
    },
    async cancel() {
      await pages.return(undefined);
    },
  });
  const day = formatDateTime(Date.now(), ctx.account.timezone).slice(0, 10);
  return new Response(body, {
    headers: csvHeaders(`passes-${day}.csv`),
  });
}

type Definitions = Awaited<ReturnType<typeof getScopeDefinitions>>;

/** Columns for built-in fields. Their titles are the names in the API and in imports. */
function builtIn({ account, baseUrl, env }: AccountContext, definitions: Definitions): ExportColumn[] {
  const time = (at: number | null, timezone = account.timezone) =>
    at === null ? null : formatDateTime(at, timezone).slice(0, 16);
  const zoneOf = ({ templateId }: Pass) => timeZoneOf(account, definitions.get(templateId)?.at(-1) ?? {});
  return [
    ['identifier', ({ id }) => id],
    ['userProvidedId', (pass) => pass.userProvidedId],
    ['generatedId', (pass) => pass.generatedId],
    ['passTemplateId', (pass) => pass.templateId],
    ['barcodeValue', (pass) => pass.barcodeValue],
    ['barcodeAlternativeText', (pass) => pass.barcodeAlternativeText],
    ['voided', (pass) => pass.voided],
    ['redeemed', (pass) => pass.redeemed],
    ['storedValue', (pass) => pass.storedValue],
    ['validAsOfDate', (pass) => time(pass.validAsOfAt, zoneOf(pass))],
    ['expirationDate', (pass) => time(pass.expirationAt, zoneOf(pass))],
    ['relevantDate', (pass) => time(pass.relevantAt, zoneOf(pass))],
    ['groupingIdentifier', (pass) => pass.groupingIdentifier],
    ['bundleId', (pass) => pass.bundleId],
    ['emailRecipient', (pass) => pass.emailRecipient],
    ['phoneRecipient', (pass) => pass.phoneRecipient],
    ['numberOfActive', (pass) => pass.numberOfActive],
    ['numberOfInactive', (pass) => pass.numberOfInactive],
    ['firstDownloadedAt', (pass) => time(pass.firstDownloadedAt)],
    ['lastUsage', (pass) => time(pass.lastUsageAt)],
    ['createdOn', (pass) => time(pass.createdAt)],
    ['modifiedOn', (pass) => time(pass.modifiedAt)],
    ['linkToPassPage', (pass) => baseUrl + pagePath(env, pass)],
    ['linkToPassFile', (pass) => baseUrl + filePath(env, pass)],
  ];
}

/**
 * Returns one column per name of a template's own field. Fields with the same name in several templates share a column.
 */
function ownColumns(definitions: Definitions): ExportColumn[] {
  const idsByName = new Map<string, string[]>();
  for (const { id, name } of [...definitions.values()]
    .flat()
    .flatMap(({ additionalProperties }) => additionalProperties)) {
    const ids = idsByName.get(name) ?? [];
    if (!ids.includes(id)) ids.push(id);
    idsByName.set(name, ids);
  }
  return [...idsByName].map(([name, ids]) => [
    name,
    ({ properties }) => ids.map((id) => properties[id]).find((value) => value !== undefined),
  ]);
}

/** Routes for passes. Fixed paths come before those of single passes. */
export const passRoutes = new Hono<AccountEnv>()
  .route('/', passListRoutes)
  .route('/bulk', bulkRoutes)
  .route('/import', importRoutes)
  .route('/', passPageRoutes);
