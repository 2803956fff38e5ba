import { eq, sql } from 'drizzle-orm';
import { accounts } from '../../domain/accounts/table.ts';
import { actingFor, type Context } from '../../domain/context.ts';
import { forEachDatabase } from '../../domain/databases/list-databases.ts';
import { expirationOf } from '../../domain/passes/card/expiration.ts';
import { searchPasses } from '../../domain/search/search-passes.ts';
import { templates } from '../../domain/templates/table.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { formatDateTime } from '../../platform/dates.ts';
import type { Happening } from './happening.ts';
import type { RecentRows } from './recent-rows.ts';

const PASSES_MAX = 200;
const SECOND_MS = 1_000;

/**
 * Returns passes that expired after `from` and until `to`. Expiration changes no row, so they are searched for.
 * Searches have a resolution of seconds, so they find the whole seconds of both.
 */
export async function expiredPasses(ctx: Context, from: number, to: number): Promise<RecentRows> {
  const [first, last] = [from, to].map((at) => Math.floor(at / SECOND_MS) * SECOND_MS) as [number, number];
  const lists = await forEachDatabase(ctx, async (there) => {
    const hasPasses = sql`exists (select 1 from ${templates} where ${eq(templates.accountId, accounts.id)} and pass_count > 0)`;
    const owners = await there.db.select().from(accounts).where(sql`${accounts.livesIn} is null and ${hasPasses}`);
    const found: RecentRows[] = [];
    for (const account of owners) {
      const acting = actingFor(there, account);
      const at = (millis: number) => formatDateTime(millis, account.timezone);
      const conditions = [
        { field: 'effectiveExpirationDate', operator: 'greaterThanOrEquals', value: at(first) },
        { field: 'effectiveExpirationDate', operator: 'lowerThan', value: at(last + SECOND_MS) },
        { field: 'voided', operator: 'isFalse' },
      ];
      const page = await searchPasses(acting, { query: { groups: [conditions] }, pageSize: PASSES_MAX });
      found.push({
        found: page.rows.flatMap(({ pass, definition }): Happening[] => {
          const at = expirationOf(definition, pass, timeZoneOf(account, definition));
          if (at === undefined || at <= from || at > to) return [];
          return [{ at, type: 'expired', accountId: account.id, passId: pass.id, templateId: pass.templateId }];
        }),
        omitted: page.total - page.rows.length,
      });
    }
    return found;
  });
  const all = lists.flat();
  return { found: all.flatMap(({ found }) => found), omitted: all.reduce((sum, { omitted }) => sum + omitted, 0) };
}
