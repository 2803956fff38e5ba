import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { appConfigurations } from './table.ts';

/**
 * Builds the statement that updates the number of a configuration's scans, if `condition` holds when it runs.
 * Placeholders stand for values of a prepared statement.
 */
export function countScan(
  ctx: Pick<Context, 'db'>,
  accountId: string | Placeholder,
  configurationId: string | Placeholder,
  by: 1 | -1,
  condition: SQL,
) {
  return ctx.db
    .update(appConfigurations)
    .set({ scanCount: sql`${appConfigurations.scanCount} + ${by}` })
    .where(and(eq(appConfigurations.id, configurationId), eq(appConfigurations.accountId, accountId), condition));
}

/** Builds the statement that subtracts rows of scans from the numbers of their configurations, except undone ones. */
export function uncountScans({ db, account }: AccountContext, scans: SQL) {
  const { accountId, id, scanCount } = appConfigurations;
  return db
    .update(appConfigurations)
    .set({ scanCount: sql`${scanCount} - old.n` })
    .from(sql`(select configuration_id, count(*) as n from ${scans} where undone_at is null group by 1) as old`)
    .where(and(eq(accountId, account.id), sql`${id} = old.configuration_id`));
}
