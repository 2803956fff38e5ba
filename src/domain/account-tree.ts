import { type SQL, sql } from 'drizzle-orm';
import { accounts } from './accounts/table.ts';
import type { Context } from './context.ts';

/** SQL for a query of an account and all below it that live with it. */
export function treeOf(accountId: string): SQL {
  return sql`(with recursive tree(id) as (
    select ${accountId} union all select below.id from tree join ${accounts} as below on below.parent_account_id = tree.id
      and below.lives_in is null)
    select id from tree)`;
}

/** SQL that holds for accounts below one, wherever those between them live. Reads all accounts that are below any. */
export function isBelow(accountId: string): SQL {
  return sql`${accounts.parentAccountId} is not null and ${accounts.livesIn} is null
    and exists (select 1 from json_each(${accounts.ancestorIds}) as line where line.value = ${accountId})`;
}

/** SQL for a list of the accounts below one that live in the context's database, and not with it. */
export async function listBelow({ db }: Context, accountId: string): Promise<SQL> {
  const below = await db.select({ id: accounts.id }).from(accounts).where(isBelow(accountId));
  return sql`(select value from json_each(${JSON.stringify(below.map(({ id }) => id))}))`;
}
