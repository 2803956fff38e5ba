import { eq, lte, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Context, inDirectory } from '../context.ts';
import { purge, runWeekly } from '../purge.ts';
import { memberships, sessions, signInTokens, users } from './table.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Cron task: deletes people who are neither members of an account nor operators, once their sessions have ended, with
 * the rows that `deleteRelated` deletes. Checks each person once a week. May run twice at once.
 */
export async function purgeFormerMembers(
  ctx: Context,
  deleteRelated: (userIds: SQL) => BatchItem<'sqlite'>[],
  now = Date.now(),
): Promise<void> {
  // A new operator has a row a moment before `operatorSince` is set.
  const isNobody = sql`${users.createdAt} < ${now - DAY_MS} and ${users.operatorSince} is null
    and not exists (select 1 from ${memberships} as one where one.user_id = ${users.id})
    and not exists (select 1 from ${sessions} as one where one.user_id = ${users.id})
    and not exists (select 1 from ${signInTokens} as one where one.user_id = ${users.id})`;
  await runWeekly(ctx, users, now, async (isHere) => {
    const page = await ctx.db.select({ id: users.id }).from(users).where(sql`${isHere} and ${isNobody}`);
    if (page.length === 0) return;
    const named = sql`(select value from json_each(${JSON.stringify(page.map(({ id }) => id))}))`;
    await ctx.db.batch([
      // A person may be invited at this very moment: the membership decides.
      ctx.db.delete(users).where(sql`${users.id} in ${named} and ${isNobody}`),
      ...deleteRelated(
        sql`(select one.value from ${named} as one where not exists (select 1 from ${users} where id = one.value))`,
      ),
    ]);
  });
}

const PAGE_MEMBERS = 100;

/**
 * Removes the next members of a deleted account and returns how many. People without another account are deleted, with
 * their sessions, sign-in links and the rows that `deleteRelated` deletes; operators of the service stay.
 */
export async function deleteMembers(
  ctx: Context,
  accountId: string,
  deleteRelated: (ctx: Context, userIds: SQL) => BatchItem<'sqlite'>[],
): Promise<number> {
  const directory = inDirectory(ctx);
  const { db } = directory;
  const page = await db
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(eq(memberships.accountId, accountId))
    .limit(PAGE_MEMBERS);
  if (page.length === 0) return 0;
  const named = sql`(select value from json_each(${JSON.stringify(page.map(({ userId }) => userId))}))`;
  const isGone = sql`${named} as one where not exists (select 1 from ${users} where id = one.value)`;
  const gone = sql`(select one.value from ${isGone})`;
  await db.batch([
    db.delete(memberships).where(sql`${memberships.accountId} = ${accountId} and ${memberships.userId} in ${named}`),
    // A person may be invited elsewhere at this very moment: the membership decides.
    db
      .delete(users)
      .where(
        sql`${users.id} in ${named} and ${users.operatorSince} is null and not exists (select 1 from ${memberships} as other where other.user_id = ${users.id})`,
      ),
    db.delete(sessions).where(sql`${sessions.userId} in ${gone}`),
    db.delete(signInTokens).where(sql`${signInTokens.userId} in ${gone}`),
    ...deleteRelated(directory, gone),
  ]);
  return page.length;
}

/** A link is kept for a day after its end, so that the log can say whose link was tried. */
const KNOWN_MS = 24 * 60 * 60_000;

/** Cron task: deletes expired sessions, and sign-in links a day after they expire. */
export async function purgeExpiredSignIns(ctx: Context): Promise<void> {
  const now = Date.now();
  await purge(ctx, signInTokens, lte(signInTokens.expiresAt, now - KNOWN_MS));
  await purge(ctx, sessions, lte(sessions.expiresAt, now));
}
