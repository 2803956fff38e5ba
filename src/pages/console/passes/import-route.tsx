import { Hono } from 'hono';
import { fieldIssue, invalid, invalidField, notFound } from '../../../domain/errors.ts';
import { claimImport, getImport, type StoredImport, storeImport } from '../../../domain/imports/stored-import.ts';
import { checkNewPasses, startBulkCreate } from '../../../domain/processes/start-bulk.ts';
import { searchChoices } from '../../../domain/search/choices.ts';
import { type DefinedTemplate, getTemplate } from '../../../domain/templates/get-template.ts';
import { type CsvRow, csvLine, decodeText, parseCsv } from '../../../platform/csv.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { formatNumber } from '../parts.tsx';
import { csvHeaders, page, pathTo, submitted, textOf, textsOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import {
  describeRow,
  guessMapping,
  IMPORT_ROWS_MAX,
  ImportPage,
  type Mapping,
  MappingPage,
  mappingProblems,
  passOf,
} from './import-pages.tsx';
import { type FormField, formFields } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';

/** Number of rows that the first check covers. */
const PREVIEW_ROWS = 50;

/** CSV imports: upload, column mapping, check, and start of the process. */
export const importRoutes = new Hono<AccountEnv>();

importRoutes.use('*', requirePrivilege('passes.edit', 'personal_data'));

importRoutes.get('/', async (c) => {
  const templateId = c.req.query('template') ?? '';
  const choices = await searchChoices(c.var.acting, templateId);
  return page(c, <ImportPage choices={choices} templateId={templateId} />);
});

importRoutes.post('/', async (c) => {
  const form = await c.req.parseBody();
  const templateId = textOf(form, 'template');
  const choices = await searchChoices(c.var.acting, templateId);
  if (!choices.definition) throw notFound();
  return submitted(c, <ImportPage choices={choices} templateId={templateId} />, async () => {
    const { file } = form;
    if (!(file instanceof File) || file.size === 0) throw invalidField('file', 'select a file that is not empty');
    const bytes = await file.arrayBuffer();
    await readRows(bytes);
    const id = await storeImport(c.var.acting, { templateId, fileName: file.name, bytes });
    return pathTo(c, SECTION, 'import', id);
  });
});

/** Returns headers and rows of a file. Throws `invalid` if the file can't be imported at all. */
async function readRows(bytes: ArrayBuffer): Promise<{ headers: string[]; rows: CsvRow[] }> {
  const { rows: all, count, problems } = await parseCsv(decodeText(bytes), IMPORT_ROWS_MAX + 1);
  if (problems.length > 0) throw invalid(problems.map((problem) => fieldIssue('file', problem)));
  const [head, ...rows] = all;
  if (!head || rows.length === 0)
    throw invalidField('file', 'must contain a line with the column names, and a line for each pass');
  if (count - 1 > IMPORT_ROWS_MAX) {
    throw invalidField(
      'file',
      `has ${formatNumber(count - 1)} passes. Split it into files of at most ${formatNumber(IMPORT_ROWS_MAX)}`,
    );
  }
  return { headers: head.cells.map((cell) => cell.trim()), rows };
}

/** An uploaded file with its template and rows. */
interface OpenImport {
  file: StoredImport;
  template: DefinedTemplate;
  fields: FormField[];
  headers: string[];
  rows: CsvRow[];
}

async function openImport(c: AccountPageContext): Promise<OpenImport> {
  const file = await getImport(c.var.acting, c.req.param('import') ?? '');
  const template = await getTemplate(c.var.acting, file.templateId);
  return { file, template, fields: formFields(template.definition), ...(await readRows(file.bytes)) };
}

function passesOf(rows: CsvRow[], mapping: Mapping, fields: FormField[]) {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return rows.map((row) => passOf(row, mapping, byKey));
}

/** Returns the rows that would be rejected, with the row numbers of a spreadsheet. */
async function checkRows(c: AccountPageContext, open: OpenImport, rows: CsvRow[], mapping: Mapping) {
  const refused = await checkNewPasses(c.var.acting, open.template, passesOf(rows, mapping, open.fields));
  return [...refused]
    .map(([place, issues]) => ({ number: rows[place]!.number, message: describeRow(open.fields, issues) }))
    .sort((a, b) => a.number - b.number);
}

importRoutes.get('/:import', async (c) => {
  const open = await openImport(c);
  const sent = c.req.queries('map');
  const mapping = sent ? open.headers.map((_, i) => sent[i] ?? '') : guessMapping(open.headers, open.fields);
  const problems = mappingProblems(mapping, open.fields);
  const checked = open.rows.slice(0, c.req.query('check') === 'all' ? undefined : PREVIEW_ROWS);
  const errors = problems.length > 0 ? [] : await checkRows(c, open, checked, mapping);
  return page(
    c,
    <MappingPage
      {...open}
      templateName={open.template.template.name}
      mapping={mapping}
      checked={checked.length}
      errors={errors}
    />,
    200,
    problems,
  );
});

/** All rows of the file that would be rejected, before anything is created. */
importRoutes.get('/:import/errors.csv', async (c) => {
  const open = await openImport(c);
  const sent = c.req.queries('map') ?? [];
  const errors = await checkRows(
    c,
    open,
    open.rows,
    open.headers.map((_, i) => sent[i] ?? ''),
  );
  const lines = errors.map(({ number, message }) => csvLine([number, message]));
  return c.body(csvLine(['row', 'error']) + lines.join(''), 200, csvHeaders('errors.csv'));
});

importRoutes.post('/:import', async (c) => {
  const form = await c.req.parseBody({ all: true });
  const open = await openImport(c);
  const sent = textsOf(form, 'map');
  const mapping = open.headers.map((_, i) => sent[i] ?? '');
  return submitted(
    c,
    <MappingPage {...open} templateName={open.template.template.name} mapping={mapping} checked={0} errors={[]} />,
    async () => {
      const problems = mappingProblems(mapping, open.fields);
      if (problems.length > 0) throw invalid(problems);
      const { id } = await claimImport(c.var.acting, open.file, () =>
        startBulkCreate(c.var.acting, {
          templateId: open.file.templateId,
          passes: passesOf(open.rows, mapping, open.fields),
          names: open.rows.map(({ number }) => `Row ${number}`),
        }),
      );
      return pathTo(c, 'processes', id);
    },
  );
});
