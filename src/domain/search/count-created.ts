import { type SQL, sql } from 'drizzle-orm';
import { codeOf, templateScopeOf } from '../passes/search-index/search-terms.ts';
import { wordsOfIntervals } from './conditions.ts';

/**
 * Builds the number of passes of a template created since a time. It comes from the word index, without reading passes.
 * The template is an expression, so that a batch can count for a template that it reads.
 */
export function countCreatedSince(templateId: SQL, since: number): SQL<number> {
  const words = { scope: '', code: codeOf('createdOn'), isExact: true, texts: 'none' } as const;
  const { spans } = wordsOfIntervals({ kind: 'date', words }, [{ from: { value: since, open: false } }])!;
  // The scope follows the first letter of a word.
  const scoped = (place: number) => {
    const word = sql.raw(`span.value ->> ${place}`);
    return sql`substr(${word}, 1, 1) || ${templateScopeOf(templateId)} || substr(${word}, 2)`;
  };
  return sql`(select coalesce(sum(pass_term_counts.doc), 0) from json_each(${JSON.stringify(spans)}) as span
    cross join pass_term_counts
    where pass_term_counts.term >= ${scoped(0)} and pass_term_counts.term <= ${scoped(1)})`;
}
