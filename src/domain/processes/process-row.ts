import { fieldIssue, type Issue } from '../errors.ts';
import type { ProcessState } from './process-state.ts';

/** Facts and progress of a process: the only row of its table in its object's SQLite. Times are UTC milliseconds. */
export interface ProcessRow {
  [column: string]: SqlStorageValue;
  id: string;
  created_at: number;
  range_items: number;
  /** Passes that the query matched when the process started. */
  expected: number;
  /** Number of items so far, which is also the number of the next one. */
  items: number;
  succeeded: number;
  failed: number;
  /** Items that were canceled, and passes that weren't even selected. */
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

/** Table of that row. */
export const PROCESS_SCHEMA = `
  create table if not exists process (
    id text not null, created_at integer not null, range_items integer not null,
    expected integer not null, items integer not null,
    succeeded integer not null default 0, failed integer not null default 0,
    dropped integer not null default 0, unselected integer not null default 0,
    selecting integer not null, after_id text, selection_error text, selection_due_at integer,
    mirror_due_at integer, prune_due_at integer, finished_at integer);`;

/** Returns the caller's view of that row; `errors` are those of the items. */
export function totalsOf(
  row: ProcessRow,
  errors: Record<string, Issue[]>,
): Omit<ProcessState, 'kind' | 'templateId' | 'result'> {
  return {
    current: row.succeeded + row.failed,
    total: (row.selecting ? Math.max(row.expected, row.items) : row.items) - row.dropped,
    // A failed selection counts like a failed item, because a retry repeats it.
    failed: row.failed + (row.selection_error === null ? 0 : 1),
    cancelled: row.dropped + row.unselected,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    errors: row.selection_error === null ? errors : { ...errors, ...issuesOf(row.selection_error) },
  };
}

/** The error of a selection is that of its query, or messages by name as JSON. */
function issuesOf(text: string): Record<string, Issue[]> {
  const messages: Record<string, string> = text.startsWith('{"') ? JSON.parse(text) : { query: text };
  return Object.fromEntries(Object.entries(messages).map(([name, message]) => [name, [fieldIssue('', message)]]));
}

/** Counts removed failed items as left out. `isOver`: the query was removed, too, so a retry can't repeat it. */
export function leaveOut(storage: SqlStorage, items: number, isOver: boolean): void {
  storage.exec('update process set failed = failed - ?1, dropped = dropped + ?1', items);
  if (isOver) storage.exec('update process set selection_error = null');
}
