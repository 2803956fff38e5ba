import { and, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { passes } from '../passes/table.ts';
import { pendingPushes } from './table.ts';

/** Removes pushes, with their texts, that wait for those of the passes which are gone. */
export async function forgetPushes(ctx: Context, passIds: string[]): Promise<void> {
  const isGone = sql`not exists (select 1 from ${passes} where ${passes.id} = ${pendingPushes.passId})`;
  await ctx.db.delete(pendingPushes).where(and(isOf(passIds), isGone));
}

/** Removes the texts of pushes that wait for passes without a holder: these must still learn that they have changed. */
export async function forgetTexts(ctx: Context, passIds: string[]): Promise<void> {
  await ctx.db.update(pendingPushes).set({ text: null }).where(isOf(passIds));
}

function isOf(passIds: string[]) {
  return sql`${pendingPushes.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
}
