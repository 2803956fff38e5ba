import { and, inArray, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type SigningKey, signingKeys } from './table.ts';

/**
 * The keys with which accounts sign now, in one round trip; for work that concerns many accounts. An account that has
 * never needed one has none.
 */
export function listActiveKeys(ctx: Context, accountIds: string[]): Promise<SigningKey[]> {
  const ids = sql`(select value from json_each(${JSON.stringify(accountIds)}))`;
  return ctx.db
    .select()
    .from(signingKeys)
    .where(and(inArray(signingKeys.accountId, ids), sql`${signingKeys.active} = 1`));
}
