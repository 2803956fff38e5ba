import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { d1, d1Everywhere, filesHolding, objectSql } from './control.ts';

/**
 * What only the local inbox of a development service holds, and the blocks of the search index, whose live terms the
 * vocabulary shows.
 */
const APART = /^(outbox_items|metric_points|sqlite_|_cf_|d1_|pass_terms)/;

/** Columns in the rows of any database that have one of the texts, in upper or lower case, by `table.column`. */
export async function columnsHolding(texts: string[], isSearched: (table: string) => boolean): Promise<string[]> {
  const columns = await d1<{ table: string; name: string }>(
    `select one.name as "table", part.name from pragma_table_list as one, pragma_table_info(one.name) as part
     where one.schema = 'main' and one.type in ('table', 'shadow') and one.name not like '\\_cf%' escape '\\'`,
    [],
    DIRECTORY,
  );
  const found = new Set<string>();
  for (const [table, own] of Map.groupBy(
    columns.filter((one) => isSearched(one.table)),
    (one) => one.table,
  )) {
    // With its table, or a column called "value" would be that of json_each.
    const holds = own.map(
      ({ name }) => `max(instr(lower(cast(held."${name}" as text)), lower(text.value)) > 0) as "${name}"`,
    );
    const rows = await d1Everywhere(`select ${holds} from "${table}" as held, json_each(?) as text`, [
      JSON.stringify(texts),
    ]);
    for (const row of rows) for (const { name } of own) if (row[name]) found.add(`${table}.${name}`);
  }
  return [...found];
}

/**
 * Where any of the texts stands: `table.column` of live rows, search terms, and names of files. Upper and lower case
 * are the same.
 */
export async function remainsOf(texts: string[]): Promise<string[]> {
  const found = await columnsHolding(texts, (table) => !APART.test(table));
  const terms = await d1Everywhere(
    `select 1 from pass_term_counts join json_each(?) as text
      on instr(term, lower(hex(lower(substr(text.value, 1, 12))))) limit 1`,
    [JSON.stringify(texts)],
  );
  if (terms.length > 0) found.push('pass_terms');
  const files = await filesHolding(texts);
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
