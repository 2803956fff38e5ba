import type { Outcome } from './outcome-store.ts';
import type { ProcessRow } from './process-row.ts';

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
