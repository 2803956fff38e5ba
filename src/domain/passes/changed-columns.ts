import { getTableColumns } from 'drizzle-orm';
import { canonicalJson } from '../../platform/canonical-json.ts';
import { type Pass, passes } from './table.ts';

export type PassColumn = keyof Pass;

/**
 * Columns in which two states of a pass differ; bookkeeping columns follow from the change and are no reason for it.
 */
export function changedColumns(before: Pass, after: Pass): PassColumn[] {
  const columns = Object.keys(getTableColumns(passes)) as PassColumn[];
  return columns.filter(
    (name) => before[name] !== after[name] && canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
}
