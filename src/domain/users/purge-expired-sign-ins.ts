import { lte } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { sessions, signInTokens } from './table.ts';

/** Cron task: removes sign-in links and sessions that have expired. */
export async function purgeExpiredSignIns(ctx: Context): Promise<void> {
  const now = Date.now();
  await ctx.db.batch([
    ctx.db.delete(signInTokens).where(lte(signInTokens.expiresAt, now)),
    ctx.db.delete(sessions).where(lte(sessions.expiresAt, now)),
  ]);
}
