import { fieldIssue, type Issue } from '../errors.ts';
import type { FailedItem } from '../passes/bulk/bulk-item.ts';
import { ErasedTexts, textsIn } from './folded-texts.ts';
import { ERRORS_CHARS_MAX, ERRORS_SHOWN_MAX, type ProcessItem } from './process-state.ts';

const SCHEMA = `
  create table if not exists failures (
    seq integer primary key, key text not null, message text not null, item text not null);`;

/** Rows of earlier releases hold a text; others hold a list of `Issue` as JSON. */
function issuesIn(message: string): Issue[] {
  return message.startsWith('[{') ? JSON.parse(message) : [fieldIssue('', message)];
}

/** Failed items of one process in its object's SQLite, with the reasons and everything that a retry needs. */
export class FailureStore {
  #sql: SqlStorage;
  #erased: ErasedTexts;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(SCHEMA);
    this.#erased = new ErasedTexts(sql);
  }

  /** Keeps the failed items without a withheld text, and returns their number. `items` is the JSON of the range. */
  add(failed: FailedItem[], items: string): number {
    if (failed.length === 0) return 0;
    const bySeq = new Map((JSON.parse(items) as ProcessItem[]).map((item) => [item.seq, item]));
    const valuesOf = ({ seq }: FailedItem) => [bySeq.get(seq)!.key, bySeq.get(seq)!.data];
    const kept = this.#erased.without(failed, valuesOf);
    for (const { seq, issues } of kept) {
      const item = bySeq.get(seq)!;
      this.#sql.exec(
        'insert into failures values (?, ?, ?, ?)',
        seq,
        item.key,
        JSON.stringify(issues),
        JSON.stringify(item),
      );
    }
    return kept.length;
  }

  /** From now on, keeps no item with one of the folded texts. */
  withhold(texts: Set<string>): void {
    this.#erased.add(texts);
  }

  /** Ends the withholding, because nothing can fail anymore. Returns whether one of these folded texts is withheld. */
  endWithholding(texts: () => string[]): boolean {
    const hasOne = this.#erased.hasOneOf(texts);
    this.#erased.clear();
    return hasOne;
  }

  /** Returns issues by the name of the item; at most `ERRORS_SHOWN_MAX` items, and `ERRORS_CHARS_MAX` characters. */
  issues(): Record<string, Issue[]> {
    const rows = this.#sql.exec<{ key: string; message: string }>(
      `select key, message from (select *, sum(length(key) + length(message)) over (order by seq) as chars
        from (select * from failures order by seq limit ?)) where chars - length(message) <= ? order by seq`,
      ERRORS_SHOWN_MAX,
      ERRORS_CHARS_MAX,
    );
    return Object.fromEntries(rows.toArray().map(({ key, message }) => [key, issuesIn(message)]));
  }

  /** Removes and returns all items with the reason of their failure, in the order of their numbers. */
  takeAll(): ProcessItem[] {
    const rows = this.#sql
      .exec<{ item: string; message: string }>('select item, message from failures order by seq')
      .toArray();
    this.#sql.exec('delete from failures');
    return rows.map(({ item, message }) => ({ ...(JSON.parse(item) as ProcessItem), failure: message }));
  }

  /** Returns the numbers of all items. */
  seqs(): number[] {
    const rows = this.#sql.exec<{ seq: number }>('select seq from failures order by seq');
    return rows.toArray().map(({ seq }) => seq);
  }

  /** Removes the items that `find` returns. */
  erase(names: Set<string>, values: Set<string>): void {
    for (const seq of this.find(names, values)) this.#sql.exec('delete from failures where seq = ?', seq);
  }

  /** Returns the numbers of items that have one of the names or one of the folded values. */
  find(names: Set<string>, values: Set<string>): number[] {
    return this.#held(values.size > 0)
      .filter(
        ({ key, passId, sent }) =>
          names.has(key) || (passId !== null && names.has(passId)) || textsIn([key, sent], values).length > 0,
      )
      .map(({ seq }) => seq);
  }

  /** Returns the folded texts that occur in an item. */
  textsIn(texts: Set<string>): string[] {
    if (texts.size === 0) return [];
    return this.#held(true).flatMap(({ key, sent }) => textsIn([key, sent], texts));
  }

  #held(hasValues: boolean): { seq: number; key: string; passId: string | null; sent: unknown }[] {
    const rows = this.#sql.exec<{ seq: number; key: string; passId: string | null; data: string | null }>(
      `select seq, key, item ->> '$.passId' as passId, ${hasValues ? "item -> '$.data'" : 'null'} as data from failures`,
    );
    return rows.toArray().map(({ data, ...row }) => ({ ...row, sent: data === null ? null : JSON.parse(data) }));
  }

  /** Puts back the items that a retry had taken, and returns their number. `items` is the JSON of a range. */
  putBack(items: string): number {
    const failed = (JSON.parse(items) as ProcessItem[]).flatMap(({ seq, failure }) =>
      failure === undefined ? [] : [{ seq, issues: issuesIn(failure) }],
    );
    return this.add(failed, items);
  }
}

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
