import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { columnsWith, d1, d1Everywhere, filesHolding, objectSql } from './control.ts';

/**
 * What only the local inbox of a development service holds, and the blocks of the search index, whose live terms the
 * vocabulary shows.
 */
const APART = /^(outbox_items|metric_points|sqlite_|_cf_|d1_|pass_terms)/;

/** Columns in the rows of any database that have one of the texts, in upper or lower case, by `table.column`. */
export async function columnsHolding(texts: string[], isSearched: (table: string) => boolean): Promise<string[]> {
  const tables = await d1<{ name: string }>(
    "select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow') and name not like '\\_cf%' escape '\\'",
    [],
    DIRECTORY,
  );
  return columnsWith(
    texts,
    tables.map(({ name }) => name).filter((name) => isSearched(name)),
  );
}

/**
 * Where any of the texts stands: `table.column` of live rows, search terms, and names of files. Upper and lower case
 * are the same. No file can have texts that were made after it was stored: those from before `since` are not read.
 */
export async function remainsOf(texts: string[], since = new Date(0)): Promise<string[]> {
  const found = await columnsHolding(texts, (table) => !APART.test(table));
  const terms = await d1Everywhere(
    `select 1 from pass_term_counts join json_each(?) as text
      on instr(term, lower(hex(lower(substr(text.value, 1, 12))))) limit 1`,
    [JSON.stringify(texts)],
  );
  if (terms.length > 0) found.push('pass_terms');
  const files = await filesHolding(texts, since);
  return [...found, ...files.filter((key) => !key.startsWith('outbox/'))];
}

/** Whether the object of a process holds any of the texts. */
export async function processHolds(id: string, texts: string[]): Promise<boolean> {
  const object = { binding: 'PROCESSES' as const, name: id };
  const parts = await Promise.all(
    ['facts', 'ranges', 'failures'].map((table) => objectSql(object, `select * from ${table}`)),
  );
  const state = JSON.stringify(parts).toLowerCase();
  return texts.some((text) => state.includes(text.toLowerCase()));
}
