import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { passes } from './table.ts';

/** SQL for the pass of this identifier inside the account; an identifier alone may name another account's. */
export function isOwnPass(accountId: string | Placeholder, passId: string | Placeholder | SQL): SQL {
  return sql`(${passes.id} = ${passId} and ${isOfAccount(accountId)})`;
}

/** SQL for passes of the account, beside a condition on a name that callers give: by the indexes of such names. */
export function isNamedIn(accountId: string | Placeholder | SQL): SQL {
  return sql`substr(${passes.accountId}, -12) = substr(${accountId}, -12) and ${isOfAccount(accountId)}`;
}

/**
 * SQL for passes of the account, beside a condition that finds them. The plus keeps the planner from finding them by
 * the account.
 */
export function isOfAccount(accountId: string | Placeholder | SQL): SQL {
  return sql`+${passes.accountId} = ${accountId}`;
}
