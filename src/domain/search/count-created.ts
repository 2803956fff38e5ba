import { type SQL, sql } from 'drizzle-orm';
import { codeOf, templateScopeOf } from '../passes/search-index/search-terms.ts';
import { wordsOfIntervals } from './conditions.ts';

/**
 * SQL for how many passes of a template were created since a time: the index of words knows, without a look at them.
 * The template is an expression, so that a batch can count for one that it reads.
 */
export function countCreatedSince(templateId: SQL, since: number): SQL<number> {
  const words = { scope: '', code: codeOf('createdOn'), isExact: true, texts: 'none' } as const;
  const { spans } = wordsOfIntervals({ kind: 'date', words }, [{ from: { value: since, open: false } }])!;
  // The scope of a word stands behind its first letter.
  const scoped = (place: number) => {
    const word = sql.raw(`span.value ->> ${place}`);
    return sql`substr(${word}, 1, 1) || ${templateScopeOf(templateId)} || substr(${word}, 2)`;
  };
  return sql`(select coalesce(sum(pass_term_counts.doc), 0) from json_each(${JSON.stringify(spans)}) as span
    cross join pass_term_counts
    where pass_term_counts.term >= ${scoped(0)} and pass_term_counts.term <= ${scoped(1)})`;
}
