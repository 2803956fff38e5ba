/** Maximum number of rows that one statement may change: a page, so that it doesn't delay the requests after it. */
export const ROWS_MAX = 1_000;

/** A statement that changed more rows than that. */
export interface LargeChange {
  /** As `shapeOf` writes it. */
  statement: string;
  rows: number;
}

interface Exception {
  /** Matches the statements' text, without quotes around names. */
  statement: RegExp;
  /** Why it can't be done in pages. */
  reason: string;
}

export const LARGE_CHANGES: Exception[] = [
  {
    statement: /^insert into pass_terms \(pass_terms, rank\) values \(/,
    reason:
      'FTS5 deletes all entries of the blocks that it has merged at once, as it also does when passes are written.',
  },
];

/** Returns the faults of statements that changed too many rows, one text each. */
export function largeFaults(changes: LargeChange[], exceptions = LARGE_CHANGES): string[] {
  return changes
    .map(({ statement, rows }) => ({ rows, text: statement.replaceAll('"', '').replaceAll('`', '') }))
    .filter(({ text }) => !exceptions.some((exception) => exception.statement.test(text)))
    .map(({ text, rows }) => `changes ${rows} rows, and a statement may change ${ROWS_MAX}: do it in pages\n  ${text}`);
}
