import { fieldIssue, type Issue } from '../../../domain/errors.ts';
import { normalizeColor } from '../../../domain/fields.ts';
import type { Pass } from '../../../domain/passes/table.ts';
import type { FormField } from './pass-form.ts';

/** Form values by field key. */
export type FormValues = Record<string, string>;

/** Returns the name of a field's input. The prefix avoids conflicts between property keys and other inputs. */
export const inputName = (key: string): string => `field-${key}`;

/** Returns the values of a pass for each field. */
export function valuesOf(fields: FormField[], pass: Pass, timezone: string): FormValues {
  return Object.fromEntries(fields.map(({ key, read, kind }) => [key, shownValue(kind, read(pass, timezone))]));
}

/** Returns the initial values for a new pass. */
export function defaultsOf(fields: FormField[]): FormValues {
  return Object.fromEntries(fields.map((field) => [field.key, shownValue(field.kind, field.default ?? '')]));
}

/** Date and time inputs need a `T` between date and time. */
function shownValue(kind: FormField['kind'], value: string): string {
  return kind === 'datetime' ? value.replace(' ', 'T') : value;
}

/** Returns the submitted values. Browsers send line breaks as CR LF. */
export function typedValues(fields: FormField[], form: Record<string, unknown>): FormValues {
  const typed = fields.flatMap(({ key }) => {
    const value = form[inputName(key)];
    return typeof value === 'string' ? [[key, value.replaceAll('\r\n', '\n')] as const] : [];
  });
  return Object.fromEntries(typed);
}

/**
 * Converts form values for the domain, and reports values that the domain would ignore silently. Empty values are left
 * out.
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

/** Returns the changes of an edit: values that differ from the initial ones, and null for cleared fields. */
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

/**
 * Replaces paths by labels. The domain refers to properties by identifier, and to fields of a bulk change by position.
 */
export function withLabels(fields: FormField[], issues: Issue[]): Issue[] {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  return issues.map((issue) => {
    const path = issue.path.replace(/^data\./, '');
    // A path can continue after the key: `locations.0.latitude`.
    const label = labels.get(path) ?? labels.get(path.split('.')[0]!);
    return label ? { ...issue, path: label } : issue;
  });
}
