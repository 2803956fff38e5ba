import * as z from 'zod';
import { checked } from '../../../domain/check.ts';
import { invalidField } from '../../../domain/errors.ts';
import { Query as Search } from '../../../domain/search/query.ts';
import { WITHOUT_VALUE } from './query-fields.ts';

/**
 * A condition as a row of the form. Rows of a group are combined with AND, groups with OR. A row without a field is
 * incomplete.
 */
export interface ConditionRow {
  group: number;
  field: string;
  operator: string;
  /** Several alternative values are on separate lines. */
  value: string;
}

/** The search form of the list. The page's address contains all of it. */
export interface PassesForm {
  phrase: string;
  templateId: string;
  projectId: string;
  rows: ConditionRow[];
  /** Keys of the columns; empty: the default columns. */
  columns: string[];
  /** The segment with this form. The address names it in place of a form that is too long for an address. */
  segmentId?: string;
}

type Query = Record<string, unknown>;

/** Reads the form from an address. Each row has all four parameters of a condition. */
export function readForm(parameters: URLSearchParams): PassesForm {
  const [groups, fields, operators, values] = ['g', 'f', 'o', 'v'].map((name) => parameters.getAll(name));
  const rows = fields!.map((field, i) => ({
    group: Number.parseInt(groups![i] ?? '0', 10) || 0,
    field,
    operator: operators![i] ?? 'equals',
    value: (values![i] ?? '').replaceAll('\r\n', '\n'),
  }));
  const text = (name: string) => (parameters.get(name) ?? '').trim();
  return {
    phrase: text('q'),
    templateId: text('template'),
    projectId: text('project'),
    rows,
    columns: parameters.getAll('column').filter((column) => column !== ''),
  };
}

/** Returns the address parameters of a form. */
export function writeForm(form: PassesForm): URLSearchParams {
  const whole = writeAll(form);
  if (!form.segmentId || whole.toString().length <= ADDRESS_CHARS_MAX) return whole;
  const named = new URLSearchParams({ segment: form.segmentId });
  for (const column of form.columns) named.append('column', column);
  return named;
}

/** Cloudflare accepts addresses of up to 16 KB. */
const ADDRESS_CHARS_MAX = 8_000;

function writeAll({ phrase, templateId, projectId, rows, columns }: PassesForm): URLSearchParams {
  const parameters = new URLSearchParams();
  if (phrase) parameters.set('q', phrase);
  if (templateId) parameters.set('template', templateId);
  if (projectId) parameters.set('project', projectId);
  for (const { group, field, operator, value } of rows) {
    parameters.append('g', String(group));
    parameters.append('f', field);
    parameters.append('o', operator);
    parameters.append('v', value);
  }
  for (const column of columns) parameters.append('column', column);
  return parameters;
}

/** Converts a form to a query. Rows without a field are left out. */
export function toQuery({ phrase, templateId, projectId, rows }: PassesForm): Query {
  const filled = rows.filter(({ field }) => field !== '');
  const groups = [...Map.groupBy(filled, ({ group }) => group).values()].map((group) => group.map(toCondition));
  return {
    ...(templateId ? { templateId } : {}),
    ...(projectId ? { projectId } : {}),
    ...(phrase ? { searchPhrase: phrase } : {}),
    ...(groups.length > 0 ? { groups } : {}),
  };
}

function toCondition({ field, operator, value }: ConditionRow) {
  if (WITHOUT_VALUE.has(operator)) return { field, operator };
  const values = value.split('\n').filter((line) => line !== '');
  return { field, operator, value: values.length > 1 ? values : (values[0] ?? '') };
}

/** Converts a query to a form, for example that of a segment. */
export function fromQuery(query: Query, columns: string[], segmentId?: string): PassesForm {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '');
  const groups = Array.isArray(query.groups) ? (query.groups as Record<string, unknown>[][]) : [];
  return {
    phrase: text('searchPhrase'),
    templateId: text('templateId'),
    projectId: text('projectId'),
    rows: groups.flatMap((group, i) =>
      group.map(({ field, operator, value }) => ({
        group: i,
        field: String(field),
        operator: String(operator),
        value: [value ?? []].flat().map(String).join('\n'),
      })),
    ),
    columns,
    segmentId,
  };
}

/**
 * Returns the form after one of its buttons: add a condition, add a group, or remove a condition. Undefined if no
 * button was pressed.
 */
export function afterButton(form: PassesForm, parameters: URLSearchParams): PassesForm | undefined {
  const added = parameters.get('add');
  const removed = parameters.get('remove');
  if (added !== null) {
    const last = Math.max(-1, ...form.rows.map(({ group }) => group));
    const group = added === 'group' ? last + 1 : Number.parseInt(added, 10) || 0;
    return { ...form, rows: inGroups([...form.rows, { group, field: '', operator: 'equals', value: '' }]) };
  }
  if (removed === null) return undefined;
  return { ...form, rows: form.rows.filter((_, i) => String(i) !== removed) };
}

const inGroups = (rows: ConditionRow[]): ConditionRow[] => rows.toSorted((a, b) => a.group - b.group);

const FormQuery = z.object({ query: Search });

/** Parses and checks a query that a form carries as JSON. Throws `invalid`. */
export function parseQuery(text: string): Query {
  let query: unknown;
  try {
    query = JSON.parse(text || '{}');
  } catch {
    throw invalidField('query', 'must be an object as JSON');
  }
  return checked(FormQuery, { query }).query;
}
