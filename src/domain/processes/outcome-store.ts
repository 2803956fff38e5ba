/** What an item or the selection of a process has come to, beside that it is done. */
export interface Outcome {
  /** Numbers that add up to those of the process, by name. */
  counts: Record<string, number>;
  /** Name of the file that holds what was made; absent: none. */
  file?: string;
}

/** What the ranges of one process have come to in its object's SQLite; a row for each that has something to say. */
export class OutcomeStore {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('create table if not exists outcomes (first integer primary key, counts text not null, file text)');
  }

  /** Keeps the outcome of the range that begins with this item; -1: of the selection. */
  add(first: number, { counts, file }: Outcome): void {
    this.#sql.exec(
      'insert or replace into outcomes values (?, ?, ?)',
      first,
      JSON.stringify(counts),
      file === undefined ? null : file,
    );
  }

  /** The sums by name; undefined when no outcome was kept. */
  sums(): Record<string, number> | undefined {
    const rows = this.#sql
      .exec<{ name: string; sum: number }>(
        'select count.key as name, sum(count.value) as sum from outcomes, json_each(counts) as count group by 1',
      )
      .toArray();
    return rows.length > 0 ? Object.fromEntries(rows.map(({ name, sum }) => [name, sum])) : undefined;
  }

  /** Names of the files, in the order of items. */
  files(): string[] {
    const rows = this.#sql.exec<{ file: string }>('select file from outcomes where file is not null order by first');
    return rows.toArray().map(({ file }) => file);
  }
}
