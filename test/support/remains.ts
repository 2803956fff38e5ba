import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { d1, d1Everywhere, filesHolding, objectSql } from './control.ts';

/**
 * What only the local inbox of a development service holds, and the blocks of the search index, whose live terms the
 * vocabulary shows.
 */
const APART = /^(outbox_items|metric_points|sqlite_|_cf_|d1_|pass_terms)/;

/**
 * Where any of the texts stands: `table.column` of live rows, search terms, and names of files. Upper and lower case
 * are the same.
 */
export async function remainsOf(texts: string[]): Promise<string[]> {
  const tables = await d1<{ name: string }>("select name from sqlite_master where type = 'table'", [], DIRECTORY);
  const found: string[] = [];
  for (const { name } of tables.filter((table) => !APART.test(table.name))) {
    const columns = await d1<{ name: string }>(`select name from pragma_table_info('${name}')`, [], DIRECTORY);
    for (const column of columns) {
      const value = `lower(cast(held."${column.name}" as text))`;
      const rows = await d1Everywhere(
        `select 1 from "${name}" as held join json_each(?) as text on instr(${value}, lower(text.value)) limit 1`,
        [JSON.stringify(texts)],
      );
      if (rows.length > 0) found.push(`${name}.${column.name}`);
    }
  }
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
