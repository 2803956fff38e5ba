import { and, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { isOwnPass } from './own-pass.ts';
import { passes } from './table.ts';

/** Usage of a pass. Placeholders stand for the values of a prepared statement. */
export interface Usage {
  scanId: string | Placeholder;
  /** UTC milliseconds. */
  at: number | Placeholder;
  /** Absent: no particular place. */
  place?: string | Placeholder;
}

/**
 * Builds the statement that records a usage if `condition` holds. Holders see no change, so the pass keeps its version.
 * A late report of an older usage doesn't change the time of the last one.
 */
export function recordUsage(
  ctx: Pick<Context, 'db'>,
  accountId: string | Placeholder,
  passId: string | Placeholder,
  usage: Usage,
  condition: SQL,
) {
  const { lastScanId, lastUsageAt, placesUsedAt } = usageColumns(usage);
  return ctx.db
    .update(passes)
    .set({ lastScanId, lastUsageAt, placesUsedAt })
    .where(and(isOwnPass(accountId, passId), condition));
}

/** Returns the columns that record a usage, for a statement that also changes the pass. */
export function usageColumns({ scanId, at, place }: Usage) {
  return {
    lastScanId: sql`${scanId}`,
    lastUsageAt: sql`max(coalesce(${passes.lastUsageAt}, 0), ${at})`,
    placesUsedAt: place === undefined ? undefined : withPlace(place, at),
  };
}

/**
 * Builds the statement that undoes the last usage if `condition` holds. `before` has the previous values; null: none.
 */
export function takeBackUsage(
  ctx: AccountContext,
  passId: string,
  before: { scanId: string | null; at: number | null; place: string | null; placeAt: number | null },
  condition: SQL,
) {
  return ctx.db
    .update(passes)
    .set({
      lastScanId: before.scanId,
      lastUsageAt: before.at,
      placesUsedAt: before.place === null ? undefined : withPlace(before.place, before.placeAt),
    })
    .where(and(isOwnPass(ctx.account.id, passId), condition));
}

/** Characters of a pass's places: more than its validation places have, each of which accepts the pass only once. */
const PLACES_CHARS_MAX = sql.raw('100000');

/** Sets a place, or removes it if `at` is null. Any text can name a place. Beyond the limit, no place is added. */
function withPlace(place: string | Placeholder, at: number | Placeholder | null): SQL {
  const used = sql`select coalesce(${passes.placesUsedAt}, '{}') as places, ${place} as place`;
  const patched = sql`select iif(length(places) < ${PLACES_CHARS_MAX} or instr(places, json_quote(place) || ':'),
    json_patch(places, json_object(place, ${at})), places) from (${used})`;
  return sql`nullif((${patched}), '{}')`;
}
