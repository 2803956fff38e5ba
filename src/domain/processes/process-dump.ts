/** Tables of a process's object, in the order of the copy. */
const TABLES = [
  'process',
  'facts',
  'ranges',
  'failures',
  'selection_attempts',
  'retries',
  'outcomes',
  'counted',
  'erased_texts',
];
/** A page ends after the row with which it exceeds this. */
const PAGE_CHARS_MAX = 4_000_000;

/** A page of an object's state; `rows` is JSON of `[table, values by column]`. */
export interface ProcessPage {
  rows: string;
  /** Start of the next page, `<table>:<row number>`; null on the last page. */
  next: string | null;
}

/** Reads a page of an object's tables for a backup, starting at `place` (null: the beginning). */
export function dumpProcess(sql: SqlStorage, place: string | null): ProcessPage {
  const [from = TABLES[0], number = '0'] = place?.split(':') ?? [];
  const rows: [string, Record<string, SqlStorageValue>][] = [];
  let chars = 0;
  for (const table of TABLES.slice(TABLES.indexOf(from!))) {
    const after = table === from ? Number(number) : 0;
    // A cursor reads lazily, so that only the page is in memory.
    for (const row of sql.exec(`select rowid as "row~", * from ${table} where rowid > ? order by rowid`, after)) {
      const { 'row~': last, ...values } = row;
      rows.push([table, values]);
      chars += JSON.stringify(values).length;
      if (chars > PAGE_CHARS_MAX) return { rows: JSON.stringify(rows), next: `${table}:${last}` };
    }
  }
  return { rows: JSON.stringify(rows), next: null };
}

/** Stores a page of `dumpProcess`; the first page replaces the current state. */
export function loadProcess(storage: DurableObjectStorage, rows: string, isFirst: boolean): void {
  storage.transactionSync(() => {
    if (isFirst) for (const table of TABLES) storage.sql.exec(`delete from ${table}`);
    for (const [table, values] of JSON.parse(rows) as [string, Record<string, SqlStorageValue>][]) {
      if (!TABLES.includes(table)) throw new Error(`an object of a process has no table ${table}`);
      const columns = Object.keys(values);
      const places = columns.map(() => '?');
      const names = columns.map((column) => `"${column.replaceAll('"', '""')}"`);
      storage.sql.exec(`insert or replace into ${table} (${names}) values (${places})`, ...Object.values(values));
    }
  });
}
