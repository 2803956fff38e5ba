import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { passes } from './table.ts';

/** Builds the value of a row of `passes` from values by their pass's identifier; null for a pass without one. */
export function valueOfPass(values: [passId: string, value: unknown][]): SQL {
  return sql`${JSON.stringify(Object.fromEntries(values))} ->> ('$."' || ${passes.id} || '"')`;
}

/** Builds the condition for the account's pass with this ID. The ID alone may be another account's. */
export function isOwnPass(accountId: string | Placeholder, passId: string | Placeholder | SQL): SQL {
  return sql`(${passes.id} = ${passId} and ${isOfAccount(accountId)})`;
}

/** Condition for passes of the account next to a condition on a caller's name, to use the indexes of names. */
export function isNamedIn(accountId: string | Placeholder | SQL): SQL {
  return sql`substr(${passes.accountId}, -12) = substr(${accountId}, -12) and ${isOfAccount(accountId)}`;
}

/**
 * Builds the condition for passes of the account next to a condition that finds them. The plus keeps the query planner
 * from using an index by account.
 */
export function isOfAccount(accountId: string | Placeholder | SQL): SQL {
  return sql`+${passes.accountId} = ${accountId}`;
}
