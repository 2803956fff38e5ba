import { type SQL, sql } from 'drizzle-orm';
import { passes } from './table.ts';

const SECOND_MS = 1_000;

/**
 * SQL for the new `modified_at` of a changed pass: at least one second later than before, because devices compare whole seconds and would
 * take the second of two quick changes for no change (wallet.md §3).
 */
export function nextModifiedAt(now: number): SQL {
  return sql`max(${now}, ${passes.modifiedAt} + ${SECOND_MS})`;
}
