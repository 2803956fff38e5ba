import { fieldIssue, type Issue } from '../errors.ts';
import type { FactsStore } from './facts-store.ts';
import type { Outcome } from './outcome-store.ts';
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

/** Maximum number of claims of the selection until a page is added. */
const ATTEMPTS_MAX = 10;
/** Time after which a message that continues the selection counts as lost if no page was added. */
const LEASE_MS = 15_000;

/** A separate table, because older objects already have the table of their process. */
const SCHEMA = 'create table if not exists selection_attempts (id integer primary key);';

/** Properties of a page of selected passes. */
export interface SelectedPage {
  isLast: boolean;
  /** Start of the next page; absent: after the last pass of this one. */
  next?: string | null;
  /** Outcome of the selection itself. */
  outcome?: Outcome;
  /** Number of passes so far, if the selection itself is the work. */
  done?: number;
}

/** A page whose end is known. */
type Ended = Pick<SelectedPage, 'isLast'> & { next: string | null; done?: number | null };

/** Progress of the selection of a process in its object's SQLite, and its number of claims since the last page. */
export class ProcessSelection {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
  }

  /**
   * Returns whether a message that continues it is due, which then counts as sent; `exhausted` after too many attempts.
   */
  take({ selecting, selection_due_at }: ProcessRow, now: number): 'due' | 'exhausted' | undefined {
    if (!selecting || (selection_due_at ?? 0) > now) return undefined;
    const attempts = this.#sql.exec('select 1 from selection_attempts').toArray().length;
    if (attempts >= ATTEMPTS_MAX) return 'exhausted';
    this.#sql.exec('update process set selection_due_at = ?', now + LEASE_MS);
    return 'due';
  }

  /** Records a claim. Returns the position (null: the beginning); undefined if the selection has ended. */
  claim(): string | null | undefined {
    const { selecting, after_id } = this.#sql.exec<ProcessRow>('select * from process').one();
    if (!selecting) return undefined;
    this.#sql.exec('insert into selection_attempts default values');
    return after_id;
  }

  /** Records the selected items, or those that are done; the selection continues after `next`. */
  proceed(items: number, { isLast, next, done = null }: Ended, now: number): void {
    this.restart();
    this.#sql.exec(
      `update process set items = coalesce(?1, items + ?2), succeeded = coalesce(?1, succeeded),
        after_id = ?3, selecting = ?4, selection_due_at = ?5`,
      done,
      items,
      next,
      isLast ? 0 : 1,
      isLast ? null : now + LEASE_MS,
    );
  }

  /** Resets the number of claims, after progress or for a new start. */
  restart(): void {
    this.#sql.exec('delete from selection_attempts');
  }

  /** Makes its next message due. */
  continue(now: number): void {
    this.#sql.exec('update process set selection_due_at = ? where selecting', now);
  }

  /** Ends it, for example because its template is gone. */
  fail(message: string): void {
    this.#sql.exec(
      'update process set selecting = 0, selection_due_at = null, selection_error = ? where selecting',
      message,
    );
  }
}

/** Interval at which a running process writes its totals to D1. */
const MIRROR_MS = 5_000;
/** The ledger stays until no reader of it can still write: a queue consumer runs for at most 15 minutes. */
export const PRUNE_DELAY_MS = 60 * 60_000;

/** Due times of a process for writing its totals to D1 and removing its ledger there, in its object's SQLite. */
export class ProcessUpkeep {
  #sql: SqlStorage;
  #facts: FactsStore;

  constructor(sql: SqlStorage, facts: FactsStore) {
    this.#sql = sql;
    this.#facts = facts;
  }

  /** Schedules a write of the totals, unless one is scheduled. */
  totalsChanged(now: number): void {
    this.#sql.exec('update process set mirror_due_at = coalesce(mirror_due_at, ?)', now + MIRROR_MS);
  }

  /** Records the end of the process; the ledger stays if a retry may need it. */
  ended(now: number): void {
    this.#sql.exec(
      `update process set finished_at = coalesce(finished_at, ?1), mirror_due_at = ?1,
        prune_due_at = case when failed = 0 and selection_error is null then ?2 end`,
      now,
      now + PRUNE_DELAY_MS,
    );
  }

  /** Whether the totals are due to be written to D1; they then count as written. */
  takeMirror(now: number): boolean {
    return this.#take('update process set mirror_due_at = null where mirror_due_at <= ? returning 1', now);
  }

  /** Schedules another write of the totals, after a failure. */
  mirrorLater(now: number): void {
    this.#sql.exec('update process set mirror_due_at = ?', now + MIRROR_MS);
  }

  /** Whether the ledger is due for removal. Until `pruned` is called, it becomes due again later. */
  takePrune(now: number): boolean {
    const again = now + PRUNE_DELAY_MS;
    return this.#take('update process set prune_due_at = ? where prune_due_at <= ? returning 1', again, now);
  }

  /** Records that the ledger was removed, and removes the values. */
  pruned(): void {
    this.#sql.exec('update process set prune_due_at = null');
    this.#facts.dropValues();
  }

  #take(update: string, ...values: SqlStorageValue[]): boolean {
    return this.#sql.exec(update, ...values).toArray().length > 0;
  }
}
