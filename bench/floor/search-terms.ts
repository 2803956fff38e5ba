import { documentOf, type IndexedPass } from '../../src/domain/passes/search-index/pass-document.ts';
import type { Env } from './common.ts';

let blank: Record<string, unknown> | undefined;

/** Returns the search terms of a pass that differs from the product's only in the columns of `own`. */
export function searchTerms({ FLOOR_PASS }: Env, own: Record<string, unknown>): string {
  blank ??= JSON.parse(FLOOR_PASS) as Record<string, unknown>;
  return termsOf({ ...blank, voided: false, redeemed: false, ...own });
}

/**
 * Returns a row's search index entry, as the statement that stores it expects. Both sides use the product's own code
 * for this, as for the statements.
 */
export function termsOf(row: Record<string, unknown>): string {
  return documentOf(indexedPass(row)).terms.join(' ');
}

/** Converts a row to the product's property names. */
function indexedPass(row: Record<string, unknown>): IndexedPass {
  const named = Object.entries(row).map(([column, value]) => [
    column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  const read = (column: string) => JSON.parse(String(row[column] ?? '{}')) as never;
  const parsed = { properties: read('properties'), appearance: read('appearance'), flight: null };
  return { ...Object.fromEntries(named), ...parsed } as IndexedPass;
}
