import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { anotherOwner, lastOwner } from './last-owner.ts';
import { Privilege } from './privileges.ts';
import { memberships } from './table.ts';

const Privileges = z.object({ privileges: z.array(Privilege).min(1, 'must name at least one privilege') });

/**
 * Gives a member of the account other privileges. Throws not found, and `invalid` for a privilege that is none or when
 * the last owner would cease to be one.
 */
export async function setPrivileges(
  ctx: AccountContext,
  userId: string,
  sent: { privileges: string[] },
): Promise<void> {
  const privileges = [...new Set(checked(Privileges, sent).privileges)];
  const keeps = privileges.includes('owner') ? undefined : anotherOwner(ctx, userId);
  const changed = await ctx.db
    .update(memberships)
    .set({ privileges })
    .where(and(ofMember(ctx, userId), keeps))
    .returning({ userId: memberships.userId });
  if (changed.length === 0) throw await refusalOf(ctx, userId);
}

/**
 * Takes a member out of the account; the person keeps other accounts. Throws not found, and `invalid` for the last
 * owner.
 */
export async function removeMember(ctx: AccountContext, userId: string): Promise<void> {
  const removed = await ctx.db
    .delete(memberships)
    .where(and(ofMember(ctx, userId), anotherOwner(ctx, userId)))
    .returning({ userId: memberships.userId });
  if (removed.length === 0) throw await refusalOf(ctx, userId);
}

const ofMember = (ctx: AccountContext, userId: string) =>
  and(eq(memberships.accountId, ctx.account.id), eq(memberships.userId, userId));

async function refusalOf(ctx: AccountContext, userId: string): Promise<Error> {
  const [member] = await ctx.db.select({ userId: memberships.userId }).from(memberships).where(ofMember(ctx, userId));
  return member ? lastOwner() : notFound();
}
