import { and, eq, isNull, lte, or } from 'drizzle-orm';
import type { Db } from '../../platform/db.ts';
import { apiKeys } from './table.ts';

/** Notes that a key was used at `now`, unless another request noted it less than `grainMs` before. */
export async function touchApiKey(db: Db, id: string, now: number, grainMs: number): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, now - grainMs))));
}
