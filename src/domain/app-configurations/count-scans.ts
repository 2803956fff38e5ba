import { and, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
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
