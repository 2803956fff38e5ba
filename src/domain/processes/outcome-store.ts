/** Result of an item or of the selection of a process. */
export interface Outcome {
  /** Counts by name; their sums are the result of the process. */
  counts: Record<string, number>;
  /** Name of the file with the output; absent: none. */
  file?: string;
}

/** Counts that an attempt at a range records before it erases. */
export interface NotedOutcome {
  /** Counts by the number of the item. */
  items: [seq: number, counts: Outcome['counts']][];
  /**
   * Identifiers of things that belong to no single item, by the name of their count. Several ranges may report the same
   * one.
   */
  more: Record<string, string[]>;
}

/** Stands for the selection in place of an item's number. */
export const SELECTION = -1;

/** Outcomes of the ranges of one process in its object's SQLite; one row per range that has one. */
export class OutcomeStore {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(
      `create table if not exists outcomes (first integer primary key, counts text not null, file text);
      create table if not exists counted (name text not null, id text not null, primary key (name, id));`,
    );
  }

  /** Stores the outcome of the range that starts with this item, or of `SELECTION`, whose file stays. */
  add(first: number, { counts, file }: Outcome): void {
    this.#sql.exec(
      'insert into outcomes values (?, ?, ?) on conflict do update set counts = excluded.counts',
      first,
      JSON.stringify(counts),
      file === undefined ? null : file,
    );
  }

  /**
   * Stores the counts of items before the work on them: of several attempts at an item, only the first one counted
   * everything.
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

  /** Adds the outcomes of finished items to one sum: separate rows would all be read for each state. */
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

  /** Returns the sums by name; undefined without an outcome. */
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

  /** Returns the names of the files, in the order of items. */
  files(): string[] {
    const rows = this.#sql.exec<{ file: string }>('select file from outcomes where file is not null order by first');
    return rows.toArray().map(({ file }) => file);
  }
}
