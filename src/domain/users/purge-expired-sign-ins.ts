import { lte } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { purge } from '../purge.ts';
import { sessions, signInTokens } from './table.ts';

/** A link is kept for a day after its end, so that the log can say whose link was tried. */
const KNOWN_MS = 24 * 60 * 60_000;

/** Cron task: deletes expired sessions, and sign-in links a day after they expire. */
export async function purgeExpiredSignIns(ctx: Context): Promise<void> {
  const now = Date.now();
  await purge(ctx, signInTokens, lte(signInTokens.expiresAt, now - KNOWN_MS));
  await purge(ctx, sessions, lte(sessions.expiresAt, now));
}
