import { getTableColumns } from 'drizzle-orm';
import { canonicalJson } from '../../platform/json.ts';
import { type Pass, passes } from './table.ts';

export type PassColumn = keyof Pass;

/** Columns that are filled by exactly one field, with that field. */
export const FIELD_OF = {
  userProvidedId: 'userProvidedId',
  barcodeAlternativeText: 'barcodeAlternativeText',
  storedValue: 'storedValue',
  expirationAt: 'expirationDate',
  relevantAt: 'relevantDate',
  validAsOfAt: 'validAsOfDate',
  groupingIdentifier: 'groupingIdentifier',
  bundleId: 'bundleId',
  emailRecipient: 'emailRecipient',
  phoneRecipient: 'phoneRecipient',
  downloadPin: 'downloadPin',
} as const satisfies Partial<Record<PassColumn, string>>;

/** Returns the columns that differ between two states of a pass. Bookkeeping columns alone never cause a change. */
export function changedColumns(before: Pass, after: Pass): PassColumn[] {
  const columns = Object.keys(getTableColumns(passes)) as PassColumn[];
  return columns.filter(
    (name) => before[name] !== after[name] && canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
}
