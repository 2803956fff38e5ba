import { and, eq, lte, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { type AccountQuota, accountQuotas } from './table.ts';

/** Time within which a mail must have left; then it is tried again. */
const TELLING_MS_MAX = 10 * 60_000;
const ROWS_MAX = 20;

/** Takes up quotas whose owners are to be told; until they are settled, each belongs to this run for ten minutes. */
export function takeTold(ctx: Context, now: number): Promise<AccountQuota[]> {
  const { tellAt } = accountQuotas;
  const due = sql`(select rowid from ${accountQuotas} where ${lte(tellAt, now)} order by ${tellAt} limit ${ROWS_MAX})`;
  return ctx.db
    .update(accountQuotas)
    .set({ tellAt: now + TELLING_MS_MAX })
    .where(sql`rowid in ${due}`)
    .returning();
}

/**
 * Notes that the owners were notified of these shares; a share that was reached meanwhile gets a notification of its
 * own.
 */
export async function settleTold(ctx: Context, { accountId, quota, tellAt }: AccountQuota): Promise<void> {
  await ctx.db
    .update(accountQuotas)
    .set({ tellAt: null })
    .where(
      and(eq(accountQuotas.accountId, accountId), eq(accountQuotas.quota, quota), eq(accountQuotas.tellAt, tellAt!)),
    );
}
