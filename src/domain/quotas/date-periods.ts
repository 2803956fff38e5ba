import { and, eq, lt, sql } from 'drizzle-orm';
import { dayOf } from '../../platform/dates.ts';
import { accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { accountQuotas } from './table.ts';

/** Rows per run; the run a minute later continues. */
const ROWS_MAX = 500;

/** Cron task: finds when days of quotas end in the account's time zone, which the counting statement does not know. */
export async function datePeriods(ctx: Context): Promise<void> {
  const { accountId, quota, periodEndsAt } = accountQuotas;
  const rows = await ctx.db
    .select({ accountId, quota, periodEndsAt: sql<number>`${periodEndsAt}`.as('period'), timezone: accounts.timezone })
    .from(accountQuotas)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .where(sql`${lt(periodEndsAt, sql`0`)}`)
    .limit(ROWS_MAX);
  const updates = rows.map((row) =>
    ctx.db
      .update(accountQuotas)
      .set({ periodEndsAt: dayOf(-row.periodEndsAt, row.timezone).end })
      .where(and(eq(accountId, row.accountId), eq(quota, row.quota), eq(periodEndsAt, row.periodEndsAt))),
  );
  const [first, ...others] = updates;
  if (first) await ctx.db.batch([first, ...others]);
}
