import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Account, accounts } from './table.ts';

/*
 * A moved account has a row in two databases. In the one where it doesn't live, the row names the other (`livesIn`) and
 * is suspended, so that no work runs for it there.
 */

/** Builds the statement that stores the copy of an account that lives in another database. */
export function insertCopy({ db }: Context, account: Account, livesIn: string) {
  return db
    .insert(accounts)
    .values({ ...account, livesIn, isSuspended: true })
    .onConflictDoNothing();
}

/** Builds the statement that turns a copy into the account. */
export function endCopy({ db }: Context, { id, isSuspended }: Pick<Account, 'id' | 'isSuspended'>) {
  return db.update(accounts).set({ livesIn: null, isSuspended }).where(eq(accounts.id, id));
}

/** Builds the statement that turns an account into a copy; it lives in another database from now on. */
export function beginCopy({ db }: Context, accountId: string, livesIn: string) {
  return db
    .update(accounts)
    .set({ livesIn, isSuspended: true })
    .where(and(eq(accounts.id, accountId), isNull(accounts.livesIn)));
}

/** Builds the condition that an account lives in this database. */
export const isNoCopy = (accountId: string) =>
  sql`exists (select 1 from ${accounts} where ${eq(accounts.id, accountId)} and ${accounts.livesIn} is null)`;

/** Builds the condition that an account has a copy in this database. */
export const isCopy = (accountId: string) =>
  sql`exists (select 1 from ${accounts} where ${eq(accounts.id, accountId)} and ${accounts.livesIn} is not null)`;

/** Builds the query for the account's row in this database, whether a copy or not. */
export function queryRow({ db }: Context, accountId: string) {
  return db.select().from(accounts).where(eq(accounts.id, accountId));
}

/** Returns the account's row in this database, whether a copy or not. */
export async function findRow(ctx: Context, accountId: string): Promise<Account | undefined> {
  const [account] = await queryRow(ctx, accountId);
  return account;
}
