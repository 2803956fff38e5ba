import { fieldIssue, type Issue } from '../errors.ts';
import type { ProcessState } from './process-state.ts';

/**
 * What a process is and where it stands, as the one row of its table in its object's SQLite. Times are UTC
 * milliseconds.
 */
export interface ProcessRow {
  [column: string]: SqlStorageValue;
  id: string;
  created_at: number;
  range_items: number;
  /** Passes that the query matched when the process started. */
  expected: number;
  /** Items so far; the next one's number. */
  items: number;
  succeeded: number;
  failed: number;
  /** What a cancellation has left untouched: items, and passes that were not even selected. */
  dropped: number;
  unselected: number;
  selecting: number;
  after_id: string | null;
  selection_error: string | null;
  selection_due_at: number | null;
  mirror_due_at: number | null;
  prune_due_at: number | null;
  finished_at: number | null;
}

/** The table of that row. */
export const PROCESS_SCHEMA = `
  create table if not exists process (
    id text not null, created_at integer not null, range_items integer not null,
    expected integer not null, items integer not null,
    succeeded integer not null default 0, failed integer not null default 0,
    dropped integer not null default 0, unselected integer not null default 0,
    selecting integer not null, after_id text, selection_error text, selection_due_at integer,
    mirror_due_at integer, prune_due_at integer, finished_at integer);`;

/** What a caller sees of that row; `errors` are those of the items. */
export function totalsOf(
  row: ProcessRow,
  errors: Record<string, Issue[]>,
): Omit<ProcessState, 'kind' | 'templateId' | 'result'> {
  return {
    current: row.succeeded + row.failed,
    total: (row.selecting ? Math.max(row.expected, row.items) : row.items) - row.dropped,
    // A selection that failed is what a retry has to do, like an item.
    failed: row.failed + (row.selection_error === null ? 0 : 1),
    cancelled: row.dropped + row.unselected,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    errors: row.selection_error === null ? errors : { ...errors, query: [fieldIssue('', row.selection_error)] },
  };
}

/** Counts failed items that are gone as left out. `isOver`: the query is gone, too, which a retry would need. */
export function leaveOut(storage: SqlStorage, items: number, isOver: boolean): void {
  storage.exec('update process set failed = failed - ?1, dropped = dropped + ?1', items);
  if (isOver) storage.exec('update process set selection_error = null');
}
