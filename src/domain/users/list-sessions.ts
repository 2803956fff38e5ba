import { and, desc, eq, sql } from 'drizzle-orm';
import { recordPersonAction } from '../audit/record-action.ts';
import type { Context } from '../context.ts';
import { isNotOver } from './begin-session.ts';
import { sessions } from './table.ts';

/** Sessions that a list shows at most. */
const SESSIONS_MAX = 100;

/** A browser that is signed in. Times are UTC milliseconds. */
export interface SessionFacts {
  id: string;
  userAgent: string | null;
  /** IP address of the last use that was noted. */
  address: string | null;
  createdAt: number;
  /** To the hour. */
  lastUsedAt: number;
}

// Sessions of releases without names go by their digest until their next use.
const idOf = sql<string>`coalesce(${sessions.id}, ${sessions.digest})`;

/** The user's live sessions, the one that was used last first. */
export function listSessions(ctx: Context, userId: string): Promise<SessionFacts[]> {
  const lastUsedAt = sql<number>`coalesce(${sessions.lastUsedAt}, ${sessions.rotatedAt})`;
  return ctx.db
    .select({
      id: idOf,
      userAgent: sessions.userAgent,
      address: sessions.address,
      createdAt: sessions.createdAt,
      lastUsedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNotOver(Date.now())))
    .orderBy(desc(lastUsedAt), desc(idOf))
    .limit(SESSIONS_MAX);
}

/** Ends one session of the user; one that is not the user's, or ended already, is left alone. */
export async function endSession(ctx: Context, userId: string, id: string): Promise<void> {
  await ctx.db.batch([
    ctx.db.delete(sessions).where(and(eq(sessions.userId, userId), eq(idOf, id))),
    recordPersonAction(ctx, { action: 'session.end' }, userId),
  ]);
}
