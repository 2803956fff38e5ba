import { eq, sql } from 'drizzle-orm';
import { accounts } from '../../domain/accounts/table.ts';
import { actingFor, type Context } from '../../domain/context.ts';
import { forEachDatabase } from '../../domain/databases/list-databases.ts';
import { expirationOf } from '../../domain/passes/card/expiration.ts';
import { searchPasses } from '../../domain/search/search-passes.ts';
import { templates } from '../../domain/templates/table.ts';
import { timeZoneOf } from '../../domain/templates/time-zone.ts';
import { formatDateTime } from '../../platform/dates.ts';
import type { EndedUnit } from '../activity.ts';
import { type Happening, lastInboxKey, type RecentRows, recentItems, recentRows } from './recent-rows.ts';

/** Maximum entries that a reply lists. Others are only counted. */
const LISTED_MAX = 1_000;

/** Tasks that write in every run, even if nothing happened, for example measurements. */
const UPKEEP = new Set([
  'watch-late-cron',
  'watch-service',
  'measure-database',
  'count-events',
  'fold-counts',
  'purge-dev-inbox',
  'purge-dev-metrics',
]);

/** Collects what happens while the clock is advanced, in order. */
export class Report {
  happened: Happening[] = [];
  /** Number of happenings that aren't listed. */
  omitted = 0;
  #seenExpired = new Set<string>();
  #rowsUntil: number;
  #expiredUntil: number;
  #lastItem: number;

  private constructor(now: number, lastItem: number) {
    this.#rowsUntil = now;
    this.#expiredUntil = now;
    this.#lastItem = lastItem;
  }

  static async begin(ctx: Context): Promise<Report> {
    return new Report(Date.now(), await lastInboxKey(ctx));
  }

  /** Returns passes that expired until now. Call it before the work that reacts to the new time. */
  async expired(ctx: Context): Promise<RecentRows> {
    const now = Date.now();
    const { found, omitted } = await expiredPasses(ctx, this.#expiredUntil, now);
    this.#expiredUntil = now;
    const isNew = (one: Happening) => one.type === 'expired' && !this.#seenExpired.has(one.passId);
    const added = found.filter(isNew);
    for (const one of added) if (one.type === 'expired') this.#seenExpired.add(one.passId);
    return { found: added, omitted };
  }

  /** Adds what happened since the previous stop, and the expired passes. */
  async add(ctx: Context, units: EndedUnit[], expired: RecentRows): Promise<void> {
    const now = Date.now();
    const done = units.flatMap(unitOf);
    const [rows, items] = await Promise.all([recentRows(ctx, this.#rowsUntil, now), recentItems(ctx, this.#lastItem)]);
    this.#rowsUntil = now;
    this.#lastItem = items.last;
    const lists = [expired, rows, items];
    const found = [...done, ...lists.flatMap((list) => list.found)].sort((a, b) => a.at - b.at);
    const listed = found.slice(0, LISTED_MAX - this.happened.length);
    this.happened.push(...listed);
    this.omitted += lists.reduce((sum, { omitted }) => sum + omitted, found.length - listed.length);
  }
}

function unitOf({ at, line, status, rowsWritten }: EndedUnit): Happening[] {
  const { event, job, task, subject, database } = line as Record<string, string | undefined>;
  const name = event === 'job' ? job : event === 'task' ? task : undefined;
  if (name === undefined || UPKEEP.has(name) || (rowsWritten === 0 && status === 'done')) return [];
  return [{ at, type: event as 'job' | 'task', name, subject, database, status, rowsWritten }];
}

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
