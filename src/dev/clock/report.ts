import type { Context } from '../../domain/context.ts';
import type { EndedUnit } from '../activity.ts';
import { expiredPasses } from './expired-passes.ts';
import type { Happening } from './happening.ts';
import { lastInboxKey, type RecentRows, recentItems, recentRows } from './recent-rows.ts';

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
