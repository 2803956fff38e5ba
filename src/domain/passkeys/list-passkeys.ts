import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { forwardOwnEntries } from '../audit/forward-entries.ts';
import { recordPersonAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { endSessionsOf } from '../users/begin-session.ts';
import { passkeyChallenges, passkeys } from './table.ts';

/** A passkey as its user sees it. Times are UTC milliseconds. */
export type PasskeyFacts = Pick<typeof passkeys.$inferSelect, 'id' | 'name' | 'createdAt' | 'lastUsedAt'>;

/** Lists the user's passkeys, oldest first. */
export function listPasskeys(ctx: Context, userId: string): Promise<PasskeyFacts[]> {
  const { id, name, createdAt, lastUsedAt } = passkeys;
  return ctx.db
    .select({ id, name, createdAt, lastUsedAt })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(createdAt), asc(id));
}

/**
 * Removes a passkey, and ends the sessions begun with it except `keptSessionId`. Ignores one that is not the user's.
 */
export async function removePasskey(ctx: Context, userId: string, id: string, keptSessionId: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(passkeys).where(and(eq(passkeys.userId, userId), eq(passkeys.id, id))),
    recordPersonAction(ctx, { action: 'passkey.remove' }, userId),
    ...endSessionsOf(ctx, { userId, passkeyId: id, keptSessionId }),
  ]);
  await forwardOwnEntries(ctx);
}

/** Removes all passkeys of a user who has lost them, and ends the sessions that were begun with them. */
export async function removeAllPasskeys(ctx: Context, userId: string): Promise<number> {
  const [removed] = await ctx.db.batch([
    ctx.db.delete(passkeys).where(eq(passkeys.userId, userId)).returning({ id: passkeys.id }),
    recordPersonAction(ctx, { action: 'passkey.remove' }, userId),
    ...endSessionsOf(ctx, { userId }),
  ]);
  await forwardOwnEntries(ctx);
  return removed.length;
}

/** Builds the statements that delete passkeys of users and challenges for new ones; `userIds` is SQL for a list. */
export function deletePasskeysOf(ctx: Context, userIds: SQL) {
  return [
    ctx.db.delete(passkeys).where(sql`${passkeys.userId} in ${userIds}`),
    ctx.db.delete(passkeyChallenges).where(sql`${passkeyChallenges.userId} in ${userIds}`),
  ];
}
