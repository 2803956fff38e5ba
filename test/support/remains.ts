import { DIRECTORY } from '../../src/domain/shard-map.ts';
import { columnsWith, d1, d1Everywhere, filesHolding, objectSql } from './control.ts';

/**
 * Excludes data of a development service's local inbox, and the tables of the search index, whose terms are encoded.
 */
const APART = /^(outbox_items|metric_points|sqlite_|_cf_|d1_|pass_terms)/;

/** Returns the columns in any database that contain one of the texts, in either case, as `table.column`. */
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
 * Returns where any of the texts occurs, in either case: `table.column` of live rows, search terms, and file names.
 * Files from before `since` are skipped. Merges the search index first, as the cron does twice a week, and looks for
 * parts of terms in its blocks.
 */
export async function remainsOf(texts: string[], since = new Date(0)): Promise<string[]> {
  const found = await columnsHolding(texts, (table) => !APART.test(table));
  const terms = await d1Everywhere<{ term: string }>(
    `select term from pass_term_counts join json_each(?) as text
      on instr(term, lower(hex(lower(substr(text.value, 1, 12))))) limit 1`,
    [JSON.stringify(texts)],
  );
  for (const { term } of terms) found.push(`pass_terms: ${term} of ${JSON.stringify(await passesWith(term))}`);
  await d1Everywhere("insert into pass_terms (pass_terms) values ('optimize')", []);
  // A block has only the end of a term that begins like the one before it.
  const part = 'cast(lower(hex(lower(substr(text.value, 5, 8)))) as blob)';
  const blocks = await d1Everywhere(
    `select 1 from json_each(?) as text
      where exists (select 1 from pass_terms_data where instr(block, ${part}) > 0)
        or exists (select 1 from pass_terms_idx where instr(term, ${part}) > 0) limit 1`,
    [JSON.stringify(texts)],
  );
  if (blocks.length > 0) found.push('pass_terms_data');
  const files = await filesHolding(texts, since);
  return [...found, ...files.filter((key) => !key.startsWith('outbox/'))];
}

/** Returns the passes whose rows in the search index have a term; without an account, there is no such pass. */
function passesWith(term: string) {
  return d1Everywhere(
    `select pass_terms.rowid as key, account_id, id from pass_terms
      left join passes on passes.key = pass_terms.rowid where pass_terms match ?`,
    [`"${term}"`],
  );
}

/** Whether a process's object contains any of the texts. */
export async function processHolds(id: string, texts: string[]): Promise<boolean> {
  const object = { binding: 'PROCESSES' as const, name: id };
  const parts = await Promise.all(
    ['facts', 'ranges', 'failures'].map((table) => objectSql(object, `select * from ${table}`)),
  );
  const state = JSON.stringify(parts).toLowerCase();
  return texts.some((text) => state.includes(text.toLowerCase()));
}
