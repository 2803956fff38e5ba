import { describeIssues, fieldIssue, type Issue } from '../../../domain/errors.ts';
import { BULK_BODY_BYTES_MAX } from '../../../domain/limits.ts';
import { ITEMS_CHECKED_MAX } from '../../../domain/processes/start-process.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import { type CsvRow, unguardFormulas } from '../../../platform/csv.ts';
import { AccountLayout } from '../console-layout.tsx';
import { FileField } from '../fields.tsx';
import { Table } from '../list-table.tsx';
import { formatNumber, formatPassCount, Notice, Panel, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo, useViewer } from '../viewer.ts';
import { NoTemplates, TemplateChoice } from './edit-pages.tsx';
import { withLabels } from './form-values.ts';
import type { FormField } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';

/** Maximum number of passes in a file, which is that of a bulk request. */
export const IMPORT_ROWS_MAX = ITEMS_CHECKED_MAX;
const MEBIBYTE = 1024 * 1024;

/** Asks for a file and the template of its passes. */
export function ImportPage({ choices, templateId }: { choices: SearchChoices; templateId: string }) {
  if (choices.templates.length === 0) return <NoTemplates title="Import passes" />;
  const limit =
    `At most ${BULK_BODY_BYTES_MAX / MEBIBYTE} MiB and ${formatNumber(IMPORT_ROWS_MAX)} passes. The first line contains the column names. Separate columns by commas, ` +
    'semicolons or tabs. A date without a time is the start of that day. For Expires, it is the end.';
  return (
    <AccountLayout title="Import passes" section={SECTION}>
      <Problems />
      <form class="panel stack" method="post" action={hrefTo(SECTION, 'import')} enctype="multipart/form-data">
        <TemplateChoice choices={choices} templateId={templateId} />
        <FileField name="file" label="CSV file" hint={limit} accept=".csv,.txt,.tsv,text/csv" required />
        <SubmitButton title="Upload file" />
        <p class="quiet">Next, you assign the columns to fields. Nothing is created yet.</p>
      </form>
    </AccountLayout>
  );
}

interface MappingPageProps {
  file: { id: string; fileName: string };
  templateName: string;
  fields: FormField[];
  headers: string[];
  rows: CsvRow[];
  mapping: Mapping;
  /** Number of checked rows. */
  checked: number;
  /** Checked rows that would be rejected. */
  errors: { number: number; message: string }[];
}

const EXAMPLE_ROWS = 3;

/** The field of each column, with examples, and the rows that would be rejected. */
export function MappingPage(props: MappingPageProps) {
  const { file, templateName, fields, headers, rows, mapping } = props;
  const base = hrefTo(SECTION, 'import', file.id);
  const good = rows.length - (props.checked === rows.length ? props.errors.length : 0);
  const missing = fields.filter(
    ({ key, required, default: fallback }) => required && !fallback && !mapping.includes(key),
  );
  return (
    <AccountLayout title="Import passes" section={SECTION}>
      <p class="lead">
        {file.fileName}: {formatPassCount(rows.length)} of the template {templateName}
      </p>
      <Problems />
      <form class="panel" method="get" action={base}>
        <h2>Columns</h2>
        <Table
          rows={headers}
          columns={[
            ['Column', (header, i) => header || `Column ${i + 1}`],
            ['Example', (_, i) => <Examples rows={rows} column={i} />],
            [
              'Field',
              (header, i) => (
                <FieldChoice name={header || `Column ${i + 1}`} fields={fields} chosen={mapping[i] ?? ''} />
              ),
            ],
          ]}
        />
        {missing.length > 0 && (
          <Notice tone="careful">
            Required fields without a column: {missing.map(({ label }) => label).join(', ')}
          </Notice>
        )}
        <div class="actions">
          <button class="button" type="submit" formmethod="post">
            Create {formatPassCount(good || rows.length)}
          </button>
          <SubmitButton title="Check again" look="quiet" />
          <button class="button quiet" type="submit" name="check" value="all">
            Check all rows
          </button>
        </div>
      </form>
      {useViewer().issues.length === 0 && <Findings {...props} base={base} />}
    </AccountLayout>
  );
}

function Examples({ rows, column }: { rows: CsvRow[]; column: number }) {
  const texts = rows.map(({ cells }) => (cells[column] ?? '').trim()).filter((text) => text !== '');
  const shown = [...new Set(texts)].slice(0, EXAMPLE_ROWS);
  return <span class="quiet examples">{shown.join(' · ') || 'empty'}</span>;
}

function FieldChoice({ name, fields, chosen }: { name: string; fields: FormField[]; chosen: string }) {
  return (
    <select name="map" aria-label={`Field for ${name}`}>
      <option value="">Skip</option>
      {fields.map(({ key, label, required }) => (
        <option value={key} selected={key === chosen}>
          {label}
          {required ? ' (required)' : ''}
        </option>
      ))}
    </select>
  );
}

const ERRORS_SHOWN = 50;

function Findings({ rows, checked, errors, mapping, base }: MappingPageProps & { base: string }) {
  const looked =
    checked === rows.length
      ? `All ${formatNumber(checked)} rows were checked`
      : `The first ${formatNumber(checked)} of ${formatNumber(rows.length)} rows were checked`;
  if (errors.length === 0) return <Notice tone="good">{looked}; none would be rejected.</Notice>;
  const download = `${base}/errors.csv?${new URLSearchParams(mapping.map((key) => ['map', key]))}`;
  return (
    <Panel id="findings" title="Rejected" aside={<a href={download}>Download all errors</a>}>
      <p>
        {looked}; {formatNumber(errors.length)} would be rejected. You can still create the others.
      </p>
      <Table
        rows={errors.slice(0, ERRORS_SHOWN)}
        columns={[
          ['Row', ({ number }) => `Row ${number}`],
          ['Error', ({ message }) => message],
        ]}
      />
      {errors.length > ERRORS_SHOWN && (
        <p class="quiet">and {formatNumber(errors.length - ERRORS_SHOWN)} more in the download</p>
      )}
    </Panel>
  );
}

/** Keys of the fields for the columns of a file, in column order. An empty key skips the column. */
export type Mapping = string[];

/** Reduces a name to lowercase letters and digits, to match different spellings. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Alternative names of fields, including labels of earlier releases. */
const ALIASES: Record<string, string[]> = {
  userProvidedId: ['id', 'your identifier', 'reference', 'order number'],
  eligibleValidationPlaces: ['valid at these places'],
  emailRecipient: ['email', 'e-mail', 'mail'],
  phoneRecipient: ['phone', 'mobile', 'telephone'],
  barcodeValue: ['barcode', 'code'],
  storedValue: ['points', 'balance', 'value'],
  expirationDate: ['expiry', 'valid until', 'expires on'],
  validAsOfDate: ['valid as of'],
};

/**
 * Guesses the field of each column by its header: a field's key, its name, or an alternative name. Each field is used
 * once.
 */
export function guessMapping(headers: string[], fields: FormField[]): Mapping {
  const keys = new Map<string, string>();
  const learn = (name: string, key: string) => {
    if (!keys.has(plain(name))) keys.set(plain(name), key);
  };
  for (const { key } of fields) learn(key, key);
  for (const { key, label } of fields) learn(label, key);
  for (const { key } of fields) for (const alias of ALIASES[key] ?? []) learn(alias, key);
  const taken = new Set<string>();
  return headers.map((header) => {
    const key = keys.get(plain(header)) ?? '';
    if (taken.has(key)) return '';
    taken.add(key);
    return key;
  });
}

/** Returns the issues of the mapping as a whole. */
export function mappingProblems(mapping: Mapping, fields: FormField[]): Issue[] {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  const used = mapping.filter((key) => key !== '');
  if (used.length === 0) return [fieldIssue('', 'Select a field for at least one column')];
  const twice = used.filter((key, i) => used.indexOf(key) !== i);
  return [...new Set(twice)].map((key) => fieldIssue(labels.get(key) ?? key, 'must have only one column'));
}

/** Returns the pass data of a row. Empty cells are left out. */
export function passOf({ cells }: CsvRow, mapping: Mapping, fields: Map<string, FormField>): Record<string, unknown> {
  const pass: Record<string, unknown> = {};
  for (const [i, key] of mapping.entries()) {
    const field = fields.get(key);
    const text = unguardFormulas((cells[i] ?? '').trim());
    if (!field || text === '') continue;
    // The domain ignores invalid colors. In an import, they should be reported.
    pass[key] = field.send(text) ?? text;
  }
  return pass;
}

/** Describes the issues of a row with the labels of the form. */
export const describeRow = (fields: FormField[], issues: Issue[]): string => describeIssues(withLabels(fields, issues));
