import { createHmac } from 'node:crypto';
import { isRecord } from '../../platform/json.ts';
import { fold } from '../passes/search-index/search-terms.ts';

/** Returns the scalar values in a JSON value, as folded texts. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (isRecord(value)) return Object.values(value).flatMap(textsOf);
  return value === null || value === undefined ? [] : [fold(String(value))];
}

/** Returns the folded texts that are a value anywhere in a JSON value. */
export function textsIn(value: unknown, texts: Set<string>): string[] {
  return textsOf(value).filter((text) => texts.has(text));
}

/**
 * Digests of the texts that were erased while a process ran, in its object's SQLite. If an item with one of them fails
 * afterwards, it must not be kept.
 */
export class ErasedTexts {
  #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('create table if not exists erased_texts (digest text primary key)');
  }

  /** Adds folded texts. */
  add(texts: Iterable<string>): void {
    const digest = this.#digester();
    for (const text of texts) this.#sql.exec('insert or ignore into erased_texts values (?)', digest(text));
  }

  /** Returns the items without an erased text among their values (`valuesOf`). */
  without<T>(items: T[], valuesOf: (item: T) => unknown): T[] {
    const erased = this.#digests();
    if (erased.size === 0) return items;
    const digest = this.#digester();
    return items.filter((item) => !textsOf(valuesOf(item)).some((text) => erased.has(digest(text))));
  }

  /** Whether one of the folded texts was erased. `texts` is called only if there are erased texts. */
  hasOneOf(texts: () => string[]): boolean {
    const erased = this.#digests();
    if (erased.size === 0) return false;
    const digest = this.#digester();
    return texts().some((text) => erased.has(digest(text)));
  }

  #digests(): Set<string> {
    const rows = this.#sql.exec<{ digest: string }>('select digest from erased_texts').toArray();
    return new Set(rows.map((row) => row.digest));
  }

  clear(): void {
    this.#sql.exec('delete from erased_texts');
  }

  /** Keyed by the process, so that digests of two processes can't be compared. */
  #digester(): (text: string) => string {
    const { id } = this.#sql.exec<{ id: string }>('select id from process').one();
    return (text) => createHmac('sha256', id).update(text).digest('base64');
  }
}
