import { fieldIssue, type Issue } from '../../../domain/errors.ts';
import { normalizeColor } from '../../../domain/fields.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import type { FormField } from './pass-form.ts';

/** Texts of a form by the key of their field. */
export type FormValues = Record<string, string>;

/** Name of a field's input; keys of properties would else meet the names of other inputs. */
export function inputName(key: string): string {
  return `field-${key}`;
}

/** What a pass has in each field. */
export function valuesOf(fields: FormField[], pass: Pass, timezone: string): FormValues {
  return Object.fromEntries(fields.map(({ key, read, kind }) => [key, shownValue(kind, read(pass, timezone))]));
}

/** What a form for a new pass begins with. */
export function defaultsOf(fields: FormField[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.key, shownValue(field.kind, field.default ?? '')]));
}

/** Inputs of moments write a `T` between date and time. */
function shownValue(kind: FormField['kind'], value: string): string {
  return kind === 'datetime' ? value.replace(' ', 'T') : value;
}

/** What was typed into a form. Browsers send line breaks as CR LF. */
export function typedValues(fields: FormField[], form: Record<string, unknown>): FormValues {
  const typed = fields.flatMap(({ key }) => {
    const value = form[inputName(key)];
    return typeof value === 'string' ? [[key, value.replaceAll('\r\n', '\n')] as const] : [];
  });
  return Object.fromEntries(typed);
}

/**
 * What is sent to the domain for texts, and what is wrong with those that the domain would drop without a word. Empty
 * ones are left out.
 */
export function sentValues(
  fields: FormField[],
  values: FormValues,
): { sent: Record<string, unknown>; problems: Issue[] } {
  const sent: Record<string, unknown> = {};
  const problems: Issue[] = [];
  for (const field of fields) {
    const text = values[field.key] ?? '';
    if (text.trim() === '') continue;
    if (field.kind === 'color' && normalizeColor(text.trim()) === undefined) {
      problems.push(fieldIssue(field.label, 'must be a color such as #1d3557'));
    } else {
      sent[field.key] = field.send(text);
    }
  }
  return { sent, problems };
}

/** What an edit sends: fields whose text differs from what the form began with; an emptied one is cleared by null. */
export function changedValues(
  fields: FormField[],
  before: FormValues,
  typed: FormValues,
): { sent: Record<string, unknown>; problems: Issue[] } {
  const changed = fields.filter(({ key }) => typed[key] !== undefined && typed[key] !== (before[key] ?? ''));
  const { sent, problems } = sentValues(changed, typed);
  for (const { key, emptyKeeps } of changed) {
    if (typed[key]!.trim() === '' && !emptyKeeps) sent[key] = null;
  }
  return { sent, problems };
}

/** The domain names properties by identifier, and fields of a bulk change by their place in it; people know labels. */
export function withLabels(fields: FormField[], issues: Issue[]): Issue[] {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  return issues.map((issue) => {
    const path = issue.path.replace(/^data\./, '');
    // Behind the key, a path may go on: `locations.0.latitude`.
    const label = labels.get(path) ?? labels.get(path.split('.')[0]!);
    return label ? { ...issue, path: label } : issue;
  });
}
