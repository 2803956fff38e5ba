import { isNotNull, type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/insert-row.ts';
import type { Context } from '../context.ts';
import { SETTINGS_ID, serviceSettings } from './table.ts';

/** SQL that is true once somebody has set up the service. */
export const IS_SET_UP = sql`exists (select 1 from ${serviceSettings} where ${isNotNull(serviceSettings.setUpAt)})`;

/**
 * Builds the statement that records the set-up if `isCreated`, with the address at which it took place unless an
 * operator has chosen one.
 */
export function noteSetUp(ctx: Context, { now, baseUrl }: { now: number; baseUrl: string }, isCreated: SQL) {
  const row = rowValues(serviceSettings, { id: SETTINGS_ID, baseUrl, setUpAt: now });
  return ctx.db
    .insert(serviceSettings)
    .select(sql`select ${row} where ${isCreated}`)
    .onConflictDoUpdate({
      target: serviceSettings.id,
      set: { baseUrl: sql`coalesce(${serviceSettings.baseUrl}, ${baseUrl})`, setUpAt: now },
    });
}
