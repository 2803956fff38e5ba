import { type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { Context } from '../context.ts';
import { runWeekly } from '../purge.ts';
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
