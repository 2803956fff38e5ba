import { and, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { AccountContext, Context } from '../context.ts';
import { isOwnPass } from './own-pass.ts';
import { passes } from './table.ts';

/** A usage of a pass. Placeholders stand for values of a statement that is prepared. */
export interface Usage {
  scanId: string | Placeholder;
  /** UTC milliseconds. */
  at: number | Placeholder;
  /** Absent: nowhere in particular. */
  place?: string | Placeholder;
}

/**
 * The statement that records a usage if `condition` holds. It changes nothing that a holder can see, so the pass keeps
 * its version. An older usage that is reported late leaves the time of the last one.
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

/** The columns that record a usage, for a statement that changes the pass as well. */
export function usageColumns({ scanId, at, place }: Usage) {
  return {
    lastScanId: sql`${scanId}`,
    lastUsageAt: sql`max(coalesce(${passes.lastUsageAt}, 0), ${at})`,
    placesUsedAt: place === undefined ? undefined : withPlace(place, at),
  };
}

/**
 * The statement that takes the last usage back if `condition` holds: what was there before stands again; null for
 * nothing.
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

/** Places with one set or, with null, removed; any text can name a place. */
function withPlace(place: string | Placeholder, at: number | Placeholder | null): SQL {
  return sql`nullif(json_patch(coalesce(${passes.placesUsedAt}, '{}'), json_object(${place}, ${at})), '{}')`;
}
