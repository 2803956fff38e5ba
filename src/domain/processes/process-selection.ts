import type { Outcome } from './outcome-store.ts';
import type { ProcessRow } from './process-row.ts';

/** Consumers that may take a selection up before one of them adds a page. */
const ATTEMPTS_MAX = 10;
/** A message that continues the selection counts as lost when no page has come after this time. */
const LEASE_MS = 15_000;

/** A table of its own, because an older object has that of its process already. */
const SCHEMA = 'create table if not exists selection_attempts (id integer primary key);';

/** What is known of a page of selected passes. */
export interface SelectedPage {
  isLast: boolean;
  /** Where the next page begins; absent: behind the last pass of this one. */
  next?: string | null;
  /** What the selection itself has come to. */
  outcome?: Outcome;
}

/** How far the selection of a process is, in its object's SQLite, and how often it was taken up since its last page. */
export class ProcessSelection {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
  }

  /** Whether a message that continues it is due, which then counts as sent; `exhausted` when more are of no use. */
  take({ selecting, selection_due_at }: ProcessRow, now: number): 'due' | 'exhausted' | undefined {
    if (!selecting || (selection_due_at ?? 0) > now) return undefined;
    const attempts = this.#sql.exec('select 1 from selection_attempts').toArray().length;
    if (attempts >= ATTEMPTS_MAX) return 'exhausted';
    this.#sql.exec('update process set selection_due_at = ?', now + LEASE_MS);
    return 'due';
  }

  /** Notes that a consumer takes it up; where it stands (null: at its beginning), undefined when it has ended. */
  claim(): string | null | undefined {
    const { selecting, after_id } = this.#sql.exec<ProcessRow>('select * from process').one();
    if (!selecting) return undefined;
    this.#sql.exec('insert into selection_attempts default values');
    return after_id;
  }

  /** Notes that so many items were selected; it goes on behind `next`. */
  proceed(items: number, { isLast, next }: { isLast: boolean; next: string | null }, now: number): void {
    this.restart();
    this.#sql.exec(
      'update process set items = items + ?, after_id = ?, selecting = ?, selection_due_at = ?',
      items,
      next,
      isLast ? 0 : 1,
      isLast ? null : now + LEASE_MS,
    );
  }

  /** Notes that it has come on, or begins anew. */
  restart(): void {
    this.#sql.exec('delete from selection_attempts');
  }

  /** Makes its next message due. */
  continue(now: number): void {
    this.#sql.exec('update process set selection_due_at = ? where selecting', now);
  }

  /** Ends it, say because its template is gone. */
  fail(message: string): void {
    this.#sql.exec(
      'update process set selecting = 0, selection_due_at = null, selection_error = ? where selecting',
      message,
    );
  }
}
