import { describeIssues, fieldIssue, type Issue } from '../../../domain/errors.ts';
import { type CsvRow, unguardFormulas } from '../../../platform/csv.ts';
import { withLabels } from './form-values.ts';
import type { FormField } from './pass-form.ts';

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
export function describeRow(fields: FormField[], issues: Issue[]): string {
  return describeIssues(withLabels(fields, issues));
}
