import { BULK_BODY_BYTES_MAX } from '../../../domain/limits.ts';
import { ITEMS_CHECKED_MAX } from '../../../domain/processes/start-process.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import type { CsvRow } from '../../../platform/csv.ts';
import { FileField } from '../certificates/file-field.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { formatNumber, formatPassCount, Notice, Panel, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo, useViewer } from '../viewer.ts';
import { NoTemplates, TemplateChoice } from './edit-pages.tsx';
import type { Mapping } from './import-mapping.ts';
import type { FormField } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';

/** Maximum number of passes in a file, which is that of a bulk request. */
export const IMPORT_ROWS_MAX = ITEMS_CHECKED_MAX;
const MEBIBYTE = 1024 * 1024;

interface ImportPageProps {
  choices: SearchChoices;
  templateId: string;
}

/** Asks for a file and the template of its passes. */
export function ImportPage({ choices, templateId }: ImportPageProps) {
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
