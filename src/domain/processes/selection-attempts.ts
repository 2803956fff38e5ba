/** Consumers that may take a selection up before one of them adds a page. */
const ATTEMPTS_MAX = 10;

const SCHEMA = 'create table if not exists selection_attempts (id integer primary key);';

/**
 * How often the selection of one process was taken up since its last page, in its object's SQLite; a table of its own,
 * because an older object has that of its process already.
 */
export class SelectionAttempts {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
  }

  /** Notes that a consumer takes it up. */
  add(): void {
    this.#sql.exec('insert into selection_attempts default values');
  }

  /** Notes that it has come on, or begins anew. */
  reset(): void {
    this.#sql.exec('delete from selection_attempts');
  }

  /** Whether further attempts are of no use. */
  get isExhausted(): boolean {
    return this.#sql.exec('select 1 from selection_attempts').toArray().length >= ATTEMPTS_MAX;
  }
}
