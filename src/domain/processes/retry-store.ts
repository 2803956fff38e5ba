/** A caller repeats the last one at most; some more, for callers at the same time. */
const KEPT = 20;

/** The last retries of one process in its object's SQLite, so that a repeat of one learns what it did. */
export class RetryStore {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      'create table if not exists retries (number integer primary key, id text not null, items integer not null)',
    );
  }

  /** How many items a retry has run again; undefined for an unknown one. */
  find(id: string): number | undefined {
    const [row] = this.#sql.exec<{ items: number }>('select items from retries where id = ?', id).toArray();
    return row?.items;
  }

  /** Keeps a retry, and returns its number of items. */
  insert(id: string, items: number): number {
    this.#sql.exec('insert into retries (id, items) values (?, ?)', id, items);
    this.#sql.exec('delete from retries where number <= (select max(number) from retries) - ?', KEPT);
    return items;
  }
}
