import { eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Context, inDirectory } from '../context.ts';
import { memberships, sessions, signInTokens, users } from './table.ts';

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
