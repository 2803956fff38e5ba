import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../passes/table.ts';
import type { FanOutKind } from './table.ts';

/**
 * Builds the source (`from`) and condition for the passes that a fan-out covers: those on a device, or those at Google.
 * Each has a partial index. It is named, because the planner wouldn't always choose it, and its condition is repeated,
 * because it wouldn't apply otherwise.
 */
export function heldSource(kind: FanOutKind, templateId: string | SQL): { source: SQL; isHeld: SQL } {
  const [index, isHeld] =
    kind === 'google'
      ? ['passes_at_google_by_template', 'google_published_at is not null']
      : ['passes_active_keys_by_template', 'number_of_active > 0'];
  return {
    source: sql`${passes} indexed by ${sql.raw(index)}`,
    isHeld: sql`template_id = ${templateId} and ${sql.raw(isHeld)}`,
  };
}

/** Builds the query that selects `what` from these passes; `rest` continues the condition. */
export function heldPasses(kind: FanOutKind, what: SQL, templateId: string | SQL, rest: SQL = sql``): SQL {
  const { source, isHeld } = heldSource(kind, templateId);
  return sql`select ${what} from ${source} where ${isHeld} ${rest}`;
}
