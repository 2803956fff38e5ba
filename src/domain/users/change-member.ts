import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import { enterOnce } from '../audit/enter-once.ts';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import { type AccountContext, inDirectory } from '../context.ts';
import { type DomainError, invalid, notFound } from '../errors.ts';
import { newId } from '../write-once.ts';
import { Privilege } from './privileges.ts';
import { memberships, users } from './table.ts';

const Privileges = z.object({ privileges: z.array(Privilege).min(1, 'must name at least one privilege') });

/**
 * Sets a member's privileges. Throws not found, and `invalid` for an unknown privilege or if no owner would be left.
 */
export async function setPrivileges(
  ctx: AccountContext,
  userId: string,
  sent: { privileges: string[] },
): Promise<void> {
  const privileges = [...new Set(checked(Privileges, sent).privileges)];
  const keeps = privileges.includes('owner') ? undefined : anotherOwner(ctx, userId);
  const isTarget = and(ofMember(ctx, userId), keeps);
  const changes = columnChanges(memberships, { privileges });
  const id = newId(ctx, `change member ${userId}`);
  const action = { id, action: 'member.change', target: userTarget(userId), changes, from: memberships } as const;
  const directory = inDirectory(ctx);
  const [, changed] = await directory.db.batch([
    recordAction(directory, action, isTarget),
    directory.db.update(memberships).set({ privileges }).where(isTarget).returning({ userId: memberships.userId }),
  ]);
  if (changed.length === 0) throw await refusalOf(directory, userId);
  await forwardOwnEntries(directory);
}

/** Removes a member, who keeps other accounts. Throws not found, and `invalid` for the last owner. */
export async function removeMember(ctx: AccountContext, userId: string): Promise<void> {
  const directory = inDirectory(ctx);
  const remove = async (id: string) => {
    const [removed] = await directory.db.batch([
      directory.db
        .delete(memberships)
        .where(and(ofMember(ctx, userId), anotherOwner(ctx, userId)))
        .returning({ userId: memberships.userId }),
      recordAction(directory, { id, action: 'member.remove', target: userTarget(userId) }),
    ]);
    if (removed.length === 0) throw await refusalOf(directory, userId);
  };
  await enterOnce(ctx, `remove member ${userId}`, remove, [directory, ctx]);
  await forwardOwnEntries(directory);
}

const userTarget = (userId: string) => ({
  type: 'user',
  id: userId,
  name: sql`(select ${users.email} from ${users} where ${eq(users.id, userId)})`,
});

const ofMember = (ctx: AccountContext, userId: string) =>
  and(eq(memberships.accountId, ctx.account.id), eq(memberships.userId, userId));

async function refusalOf(ctx: AccountContext, userId: string): Promise<Error> {
  const [member] = await ctx.db.select({ userId: memberships.userId }).from(memberships).where(ofMember(ctx, userId));
  return member ? lastOwner() : notFound();
}

/** Returns SQL that is true if another owner exists. Part of the change, so that of two leaving owners one stays. */
export function anotherOwner(ctx: AccountContext, userId: SQL | string): SQL {
  return sql`exists (select 1 from ${memberships} as other, json_each(other.privileges) as privilege
    where other.account_id = ${ctx.account.id} and other.user_id <> ${userId} and privilege.value = 'owner')`;
}

export function lastOwner(): DomainError {
  return invalid('An account needs an owner; make another member an owner first');
}

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
