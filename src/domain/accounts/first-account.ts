import { eq, type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/raw-statement.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { NewAccount, newAccount } from './create-account.ts';
import { type Account, accounts } from './table.ts';

/** Returns whether the context's database has an account. One round trip. */
export async function hasAccounts({ db }: Context): Promise<boolean> {
  return (await db.select({ id: accounts.id }).from(accounts).limit(1)).length > 0;
}

/** The first account of a service, and the statements that store it. */
export interface FirstAccount {
  account: Account;
  /** Condition for the rows that follow in its batch. */
  isCreated: SQL;
  statements: [ReturnType<typeof insertAccount>, ReturnType<typeof recordAction>];
}

/**
 * Builds the statements that create an account without an API key, if there is no account yet and `holds` is true.
 * Throws `invalid`.
 */
export function firstAccount(ctx: Context, id: string, input: NewAccount, holds: SQL): FirstAccount {
  const account = newAccount(id, checked(NewAccount, input));
  const created = { action: 'account.create', target: { type: 'account', id, name: account.name } } as const;
  return {
    account,
    isCreated: sql`exists (select 1 from ${accounts} where ${eq(accounts.id, id)})`,
    statements: [insertAccount(ctx, account, holds), recordAction({ ...ctx, account }, created)],
  };
}

function insertAccount({ db }: Context, account: Account, holds: SQL) {
  const isFirst = sql`not exists (select 1 from ${accounts}) and ${holds}`;
  return db
    .insert(accounts)
    .select(sql`select ${rowValues(accounts, account)} where ${isFirst}`)
    .returning({ id: accounts.id });
}
