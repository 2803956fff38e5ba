import { describeIssues, fieldIssue, type Issue } from '../../../domain/errors.ts';
import { type CsvRow, unguardFormulas } from '../../../platform/csv.ts';
import { withLabels } from './form-values.ts';
import type { FormField } from './pass-form.ts';

/** Keys of the fields that the columns of a file fill, in their order; empty: the column is left out. */
export type Mapping = string[];

/** Letters and digits alone, in lower case: what different spellings of a name share. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Other names under which people know fields, labels of earlier releases among them. */
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
 * Guesses what each column holds by its header: key or name of a field, or another name for it. A field is filled by
 * one column.
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

/** What is wrong with a mapping as a whole. */
export function mappingProblems(mapping: Mapping, fields: FormField[]): Issue[] {
  const labels = new Map(fields.map(({ key, label }) => [key, label]));
  const used = mapping.filter((key) => key !== '');
  if (used.length === 0) return [fieldIssue('', 'Select a field for at least one column')];
  const twice = used.filter((key, i) => used.indexOf(key) !== i);
  return [...new Set(twice)].map((key) => fieldIssue(labels.get(key) ?? key, 'select only one column for this field'));
}

/** The fields of the pass that a row asks for. Empty cells are left out. */
export function passOf({ cells }: CsvRow, mapping: Mapping, fields: Map<string, FormField>): Record<string, unknown> {
  const pass: Record<string, unknown> = {};
  for (const [i, key] of mapping.entries()) {
    const field = fields.get(key);
    const text = unguardFormulas((cells[i] ?? '').trim());
    if (!field || text === '') continue;
    // The domain leaves out colors that are none; here somebody should hear of it.
    pass[key] = field.send(text) ?? text;
  }
  return pass;
}

/** What the domain says of a row, in the words of the form. */
export function describeRow(fields: FormField[], issues: Issue[]): string {
  return describeIssues(withLabels(fields, issues));
}
