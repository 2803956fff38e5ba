import type { SQL } from 'drizzle-orm';
import type { Interval } from './intervals.ts';
import type { Span } from './operators.ts';
import { NEVER } from './scope.ts';

/** A condition as it is carried out. */
export interface Selection {
  /** SQL over `passes` that holds for exactly those that are selected; never null. */
  check: SQL;
  /** What the index of words has of it. */
  words?: WordSelection;
  /** SQL that finds passes by an index on their table: `isExact` in a template, otherwise maybe too many. */
  column?: ColumnSelection;
  /** Selects all others, when that is what the operator means or an index is small for. */
  opposite?: Selection;
}

export interface ColumnSelection {
  holds: SQL;
  isExact: boolean;
  /** Whether it selects only passes of the query's scope, by keys. */
  isScoped?: boolean;
}

export interface WordSelection {
  match: string;
  /** Whether the words decide alone. */
  isExact: boolean;
  /** Whether they belong to passes of the query's scope only. */
  isScoped: boolean;
  /** Ranges of words of which a selected pass has exactly one: their counts are the number of passes. */
  spans?: Span[];
  /** Ranges of words whose counts are to be taken away from these. */
  without?: Span[];
  /** The interval of one field that is selected; those of one group meet before the index is asked. */
  interval?: { of: string; is: Interval; select(interval: Interval): WordSelection };
}

/** Selects nothing. */
export const NOTHING: WordSelection = { match: NEVER, isExact: true, isScoped: true, spans: [] };
