import { and, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { passes } from '../passes/table.ts';
import { pendingPushes } from './table.ts';

/** Deletes the pending pushes, texts included, of deleted passes among these. */
export async function forgetPushes(ctx: Context, passIds: string[]): Promise<void> {
  const isGone = sql`not exists (select 1 from ${passes} where ${passes.id} = ${pendingPushes.passId})`;
  await ctx.db.delete(pendingPushes).where(and(isOf(passIds), isGone));
}

/** Deletes the texts of pending pushes for passes without a holder. The devices must still learn about the change. */
export async function forgetTexts(ctx: Context, passIds: string[]): Promise<void> {
  await ctx.db.update(pendingPushes).set({ text: null }).where(isOf(passIds));
}

function isOf(passIds: string[]) {
  return sql`${pendingPushes.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
}
