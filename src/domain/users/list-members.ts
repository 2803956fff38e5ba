import { asc, eq } from 'drizzle-orm';
import { type AccountContext, inDirectory } from '../context.ts';
import { memberships, users } from './table.ts';

/** A person who may act for the account. Times are UTC milliseconds. */
export interface Member {
  userId: string;
  email: string;
  privileges: string[];
  createdAt: number;
}

/** Lists the account's members, oldest first. */
export function listMembers(ctx: AccountContext): Promise<Member[]> {
  return inDirectory(ctx)
    .db.select({
      userId: memberships.userId,
      email: users.email,
      privileges: memberships.privileges,
      createdAt: memberships.createdAt,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(eq(memberships.accountId, ctx.account.id))
    .orderBy(asc(memberships.createdAt), asc(memberships.userId));
}
