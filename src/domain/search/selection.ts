import type { SQL } from 'drizzle-orm';
import type { Interval } from './intervals.ts';
import type { Span } from './operators.ts';
import { NEVER } from './scope.ts';

/** A condition in the form that runs. */
export interface Selection {
  /** SQL over `passes` that is true for exactly the selected ones; never null. */
  check: SQL;
  /** How the word index finds it. */
  words?: WordSelection;
  /** How an index on the passes table finds it: exactly in a template with `isExact`, otherwise maybe too much. */
  column?: ColumnSelection;
  /** Selects all other passes, if the operator is a negation or an index holds only the others. */
  opposite?: Selection;
}

export interface ColumnSelection {
  holds: SQL;
  isExact: boolean;
  /** Whether it selects, by keys, only passes of the query's scope. */
  isScoped?: boolean;
}

export interface WordSelection {
  match: string;
  /** Whether the words alone decide. */
  isExact: boolean;
  /** Whether they belong only to passes of the query's scope. */
  isScoped: boolean;
  /**
   * Ranges of words; each selected pass has exactly one word in them, so their counts add up to the number of passes.
   */
  spans?: Span[];
  /** Ranges of words whose counts must be subtracted. */
  excludedSpans?: Span[];
  /** Interval of one field; the intervals of a group are intersected before the index is read. */
  interval?: { of: string; is: Interval; select(interval: Interval): WordSelection };
}

/** Selects nothing. */
export const NOTHING: WordSelection = { match: NEVER, isExact: true, isScoped: true, spans: [] };
