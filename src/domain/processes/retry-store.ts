/** A caller repeats only its last retry; the others serve concurrent callers. */
const RETRIES_KEPT_MAX = 20;

/** Last retries of one process in its object's SQLite, so that a repeated one returns the same result. */
export class RetryStore {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      'create table if not exists retries (number integer primary key, id text not null, items integer not null)',
    );
  }

  /** Returns the number of items of a retry; undefined for an unknown one. */
  find(id: string): number | undefined {
    const [row] = this.#sql.exec<{ items: number }>('select items from retries where id = ?', id).toArray();
    return row?.items;
  }

  /** Stores a retry and returns its number of items. */
  insert(id: string, items: number): number {
    this.#sql.exec('insert into retries (id, items) values (?, ?)', id, items);
    this.#sql.exec('delete from retries where number <= (select max(number) from retries) - ?', RETRIES_KEPT_MAX);
    return items;
  }
}
