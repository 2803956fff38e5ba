import { lte } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { sessions, signInTokens } from './table.ts';

/** A link is known for a day after its end, so that the log can say whose link somebody has tried. */
const KNOWN_MS = 24 * 60 * 60_000;

/** Cron task: removes sessions that have expired, and sign-in links a day later. */
export async function purgeExpiredSignIns(ctx: Context): Promise<void> {
  const now = Date.now();
  await purge(ctx, signInTokens, lte(signInTokens.expiresAt, now - KNOWN_MS));
  await purge(ctx, sessions, lte(sessions.expiresAt, now));
}
