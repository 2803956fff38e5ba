import { documentOf, type IndexedPass } from '../../src/domain/passes/search-index/pass-document.ts';
import type { Env } from './common.ts';

let blank: Record<string, unknown> | undefined;

/** The terms of a pass like the one that the product made; `own` has the columns in which it differs. */
export function searchTerms({ FLOOR_PASS }: Env, own: Record<string, unknown>): string {
  blank ??= JSON.parse(FLOOR_PASS) as Record<string, unknown>;
  return termsOf({ ...blank, voided: false, redeemed: false, ...own });
}

/**
 * What the search index keeps of a row of `passes`, as the statement that stores it takes it: the product's own work on
 * both sides, like the texts of the statements.
 */
export function termsOf(row: Record<string, unknown>): string {
  return documentOf(indexedPass(row)).terms.join(' ');
}

/** The row under the product's names. */
function indexedPass(row: Record<string, unknown>): IndexedPass {
  const named = Object.entries(row).map(([column, value]) => [
    column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const read = (column: string) => JSON.parse(String(row[column] ?? '{}')) as never;
  const parsed = { properties: read('properties'), appearance: read('appearance'), flight: null };
  return { ...Object.fromEntries(named), ...parsed } as IndexedPass;
}
