import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { passkeyChallenges, passkeys } from './table.ts';

/** The statements that delete the passkeys of users, and the challenges for new ones; `userIds` is SQL for a list. */
export function deletePasskeysOf(ctx: Context, userIds: SQL) {
  return [
    ctx.db.delete(passkeys).where(sql`${passkeys.userId} in ${userIds}`),
    ctx.db.delete(passkeyChallenges).where(sql`${passkeyChallenges.userId} in ${userIds}`),
  ];
}
