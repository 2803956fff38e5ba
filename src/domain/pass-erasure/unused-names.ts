import { and, eq, inArray, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import type { Context } from '../context.ts';
import { IS_OWN_BARCODE } from '../passes/find-pass.ts';
import { isNamedIn } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';

/** Names per query; D1 binds a hundred parameters. */
const NAMES_AT_ONCE = 90;

/** Names of erased passes, some of which may be missing, and the identifiers of these passes. */
export interface ErasedNames {
  names: (string | null)[];
  passIds: string[];
}

/** Returns the distinct names that aren't missing or empty. */
export function presentNames(names: ErasedNames['names']): string[] {
  return [...new Set(names.filter((name) => name !== null).filter((name) => name !== ''))];
}

/** Returns the names that no other pass of the account has; those in `passIds`, anonymized ones too, don't count. */
export async function findUnusedNames(
  ctx: Context,
  accountId: string,
  { names: given, passIds }: ErasedNames,
): Promise<string[]> {
  const others = sql`${passes.id} not in (select value from json_each(${JSON.stringify(passIds)}))`;
  const names = presentNames(given);
  const taken = new Set<string | null>();
  for (const some of slicesOf(names, NAMES_AT_ONCE)) {
    for (const column of [passes.userProvidedId, passes.barcodeValue, passes.generatedId]) {
      const isOwnBarcode = column === passes.barcodeValue ? IS_OWN_BARCODE : undefined;
      const isOwn = column === passes.generatedId ? eq(passes.accountId, accountId) : isNamedIn(accountId);
      const rows = await ctx.db
        .select({ name: column })
        .from(passes)
        .where(and(isOwn, inArray(column, some), isOwnBarcode, others));
      for (const { name } of rows) taken.add(name);
    }
  }
  return names.filter((name) => !taken.has(name));
}
