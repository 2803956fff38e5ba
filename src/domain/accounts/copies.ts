import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type Account, accounts } from './table.ts';

/*
 * An account that moves has a row in two databases. In the one where it does not live the row names the other one
 * (`livesIn`) and is suspended, so that no work is done for it there.
 */

/** The statement that stores a copy of an account which lives in another database. */
export function insertCopy({ db }: Context, account: Account, livesIn: string) {
  return db
    .insert(accounts)
    .values({ ...account, livesIn, isSuspended: true })
    .onConflictDoNothing();
}

/** The statement that makes an account of a copy. */
export function endCopy({ db }: Context, { id, isSuspended }: Pick<Account, 'id' | 'isSuspended'>) {
  return db.update(accounts).set({ livesIn: null, isSuspended }).where(eq(accounts.id, id));
}

/** The statement that makes a copy of an account, which lives in another database from now on. */
export function beginCopy({ db }: Context, accountId: string, livesIn: string) {
  return db
    .update(accounts)
    .set({ livesIn, isSuspended: true })
    .where(and(eq(accounts.id, accountId), isNull(accounts.livesIn)));
}

/** SQL that holds while an account lives in the database. */
export const isNoCopy = (accountId: string) =>
  sql`exists (select 1 from ${accounts} where ${eq(accounts.id, accountId)} and ${accounts.livesIn} is null)`;

/** The account in this very database, a copy or not. */
export async function findRow({ db }: Context, accountId: string): Promise<Account | undefined> {
  const [account] = await db.select().from(accounts).where(eq(accounts.id, accountId));
  return account;
}
