import { getTableColumns } from 'drizzle-orm';
import { canonicalJson } from '../../platform/json.ts';
import { type Pass, passes } from './table.ts';

export type PassColumn = keyof Pass;

/** Returns the columns that differ between two states of a pass. Bookkeeping columns alone never cause a change. */
export function changedColumns(before: Pass, after: Pass): PassColumn[] {
  const columns = Object.keys(getTableColumns(passes)) as PassColumn[];
  return columns.filter(
    (name) => before[name] !== after[name] && canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
}
