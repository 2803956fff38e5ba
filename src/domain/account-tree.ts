import { type SQL, sql } from 'drizzle-orm';
import { accounts } from './accounts/table.ts';
import type { Context } from './context.ts';

/** Builds the query of an account and all accounts below it in the same database. */
export function treeOf(accountId: string | SQL): SQL {
  return sql`(with recursive tree(id) as (
    select ${accountId} union all select below.id from tree join ${accounts} as below on below.parent_account_id = tree.id
      and below.lives_in is null)
    select id from tree)`;
}

/**
 * Builds the condition for accounts below another one, even if an account in between lives elsewhere. Reads all
 * accounts that have a parent.
 */
export function isBelow(accountId: string): SQL {
  return sql`${accounts.parentAccountId} is not null and ${accounts.livesIn} is null
    and exists (select 1 from json_each(${accounts.ancestorIds}) as line where line.value = ${accountId})`;
}

/** Builds the list of the accounts below one that live in the context's database, apart from it. */
export async function listBelow({ db }: Context, accountId: string): Promise<SQL> {
  const below = await db.select({ id: accounts.id }).from(accounts).where(isBelow(accountId));
  return sql`(select value from json_each(${JSON.stringify(below.map(({ id }) => id))}))`;
}
