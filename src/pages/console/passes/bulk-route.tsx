import { Hono } from 'hono';
import { invalid, invalidField } from '../../../domain/errors.ts';
import { type BulkUpdate, checkBulkUpdate, startBulkUpdate } from '../../../domain/processes/start-bulk.ts';
import { searchChoices } from '../../../domain/search/choices.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pathTo, renamed, submitted, textOf, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { BULK_VERBS, type BulkAsked, BulkInputPage, BulkReviewPage, type BulkVerb } from './bulk-pages.tsx';
import { inputName, sentValues, withLabels } from './form-values.ts';
import { type FormField, formFields } from './pass-form.ts';
import { fromQuery, parseQuery } from './query-form.ts';
import { hiddenFromAll, visibleQuery } from './visible-fields.ts';

/** Bulk actions: input, dry run, and start. The forms pass all choices on. */
export const bulkRoutes = new Hono<AccountEnv>();

bulkRoutes.use('*', requirePrivilege('passes.edit'));

bulkRoutes.post('/', async (c) => {
  const form = await c.req.parseBody({ all: true });
  const asked = readAsked(form);
  const templateId = fromQuery(asked.query, []).templateId;
  const choices = await searchChoices(c.var.acting, templateId);
  const hidden = hiddenFromAll(c.var.privileges, choices.definition);
  const fields = formFields(choices.definition).filter(({ key }) => !SINGLE_FIELDS.has(key) && !hidden.has(key));
  const seen = visibleQuery(asked.query, c.var.privileges, choices.definition);
  const shown = { asked, fields, hasTemplate: choices.definition !== undefined };
  const work = async () => {
    if (asked.scope === 'selected' && asked.passes.length === 0) throw invalid('Select passes in the list first');
    const data = dataOf(asked, fields);
    if (!data) return page(c, <BulkInputPage {...shown} />);
    const update: BulkUpdate = {
      mode: 'patch',
      change: {
        data,
        filter:
          asked.scope === 'all'
            ? { query: seen }
            : hidden.size > 0
              ? { query: selected(asked.passes, templateId) }
              : { identifiers: asked.passes },
      },
    };
    if (textOf(form, 'confirmed') === 'yes') return await start(c, update);
    return page(c, <BulkReviewPage {...shown} result={await checkBulkUpdate(c.var.acting, update)} />);
  };
  return submitted(c, <BulkInputPage {...shown} />, work, (issues) => withLabels(fields, toFormNames(issues)));
});

const toFormNames = renamed({ 'data.pushNotificationText': 'text' });

/** Selects passes of one template, or of any if it is empty: another one may hide a property with the same ID. */
const selected = (value: string[], templateId: string) => ({
  templateId,
  groups: [[{ field: 'identifier', operator: 'equals', value }]],
});

/** Fields with a different value for each pass. */
const SINGLE_FIELDS = new Set(['userProvidedId', 'barcodeValue', 'bundleId']);

function readAsked(form: Record<string, unknown>): BulkAsked {
  const verb = textOf(form, 'action');
  if (!BULK_VERBS.includes(verb as BulkVerb)) throw invalidField('action', `must be one of ${BULK_VERBS.join(', ')}`);
  const field = textOf(form, 'field');
  return {
    verb: verb as BulkVerb,
    scope: textOf(form, 'scope') === 'all' ? 'all' : 'selected',
    passes: textsOf(form, 'pass').filter((id) => UUID_PATTERN.test(id)),
    query: parseQuery(textOf(form, 'query')),
    field,
    value: field === '' ? undefined : typedValue(form, field),
    text: typeof form.text === 'string' ? form.text : undefined,
  };
}

function typedValue(form: Record<string, unknown>, field: string): string | undefined {
  const value = form[inputName(field)];
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : undefined;
}

/** Returns the data for the passes; undefined until everything is entered. Throws `invalid`. */
function dataOf(asked: BulkAsked, fields: FormField[]): Record<string, unknown> | undefined {
  const { verb, field, value, text } = asked;
  if (verb === 'void' || verb === 'unvoid') return { voided: verb === 'void' };
  if (verb === 'push') {
    if (text === undefined) return undefined;
    if (text.trim() === '') throw invalidField('text', 'must not be empty');
    return { pushNotificationText: text.trim() };
  }
  const chosen = fields.find(({ key }) => key === field);
  if (!chosen || value === undefined) return undefined;
  const { sent, problems } = sentValues([chosen], { [field]: value });
  if (problems.length > 0) throw invalid(problems);
  return { [field]: sent[field] ?? null };
}

async function start(c: AccountPageContext, update: BulkUpdate): Promise<Response> {
  const { id } = await startBulkUpdate(c.var.acting, update);
  return c.redirect(pathTo(c, 'processes', id), 303);
}
