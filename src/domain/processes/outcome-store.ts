/** What an item or the selection of a process has come to, beside that it is done. */
export interface Outcome {
  /** Numbers that add up to those of the process, by name. */
  counts: Record<string, number>;
  /** Name of the file that holds what was made; absent: none. */
  file?: string;
}

/** What an attempt at a range counts before it erases. */
export interface NotedOutcome {
  /** By the number of each item. */
  items: [seq: number, counts: Outcome['counts']][];
  /** Identifiers of what belongs to no item, by the name of its count: several ranges may come across the same. */
  more: Record<string, string[]>;
}

/** The number of what the selection has come to, in place of an item's. */
export const SELECTION = -1;

/** What the ranges of one process have come to in its object's SQLite; a row for each that has something to say. */
export class OutcomeStore {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `create table if not exists outcomes (first integer primary key, counts text not null, file text);
      create table if not exists counted (name text not null, id text not null, primary key (name, id));`,
    );
  }

  /** Keeps the outcome of the range that begins with this item, or of `SELECTION`. */
  add(first: number, { counts, file }: Outcome): void {
    this.#sql.exec(
      'insert or replace into outcomes values (?, ?, ?)',
      first,
      JSON.stringify(counts),
      file === undefined ? null : file,
    );
  }

  /**
   * Keeps what items come to, before they are worked on: of several attempts at one, the first has counted all of it.
   */
  note({ items, more }: NotedOutcome): void {
    this.#sql.exec(
      'insert or ignore into outcomes select value ->> 0, value -> 1, null from json_each(?)',
      JSON.stringify(items),
    );
    this.#sql.exec(
      'insert or ignore into counted select name.key, id.value from json_each(?) as name, json_each(name.value) as id',
      JSON.stringify(more),
    );
  }

  /** Puts what was kept of items that are done into one sum: a row for each would be read whenever somebody looks. */
  settle(first: number, last: number): void {
    const rows = this.#sql.exec<{ counts: string }>(
      'delete from outcomes where first between ? and ? and file is null returning counts',
      first,
      last,
    );
    this.#addToSelection(rows.toArray().map(({ counts }) => JSON.parse(counts) as Outcome['counts']));
  }

  #addToSelection(added: Outcome['counts'][]): void {
    if (added.length === 0) return;
    const [row] = this.#sql
      .exec<{ counts: string }>('select counts from outcomes where first = ?', SELECTION)
      .toArray();
    const sums = row ? (JSON.parse(row.counts) as Outcome['counts']) : {};
    for (const counts of added) {
      for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    }
    this.add(SELECTION, { counts: sums });
  }

  /** The sums by name; undefined when no outcome was kept. */
  sums(): Record<string, number> | undefined {
    const rows = this.#sql
      .exec<{ name: string; sum: number }>(
        `select name, sum(number) as sum from (
          select count.key as name, count.value as number from outcomes, json_each(counts) as count
          union all select name, count(*) from counted group by name
        ) group by name`,
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
