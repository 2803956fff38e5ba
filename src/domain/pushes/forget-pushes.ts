import { sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { pendingPushes } from './table.ts';

/** Removes pushes, with their texts, that wait for passes which are gone. */
export async function forgetPushes(ctx: Context, passIds: string[]): Promise<void> {
  await ctx.db
    .delete(pendingPushes)
    .where(sql`${pendingPushes.passId} in (select value from json_each(${JSON.stringify(passIds)}))`);
}
