import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../passes/table.ts';
import type { FanOutKind } from './table.ts';

/**
 * SQL for the passes of a template that a fan-out covers, those on a device, or those at Google: what stands behind
 * `from`, and its condition. Each has a partial index, which is named because the planner would not always choose it,
 * and whose condition is spelt out because it would not serve otherwise.
 */
export function heldSource(kind: FanOutKind, templateId: string): { source: SQL; isHeld: SQL } {
  const [index, isHeld] =
    kind === 'google'
      ? ['passes_at_google_by_template', 'google_published_at is not null']
      : ['passes_active_keys_by_template', 'number_of_active > 0'];
  return {
    source: sql`${passes} indexed by ${sql.raw(index)}`,
    isHeld: sql`template_id = ${templateId} and ${sql.raw(isHeld)}`,
  };
}

/** SQL that selects `what` from these passes; `rest` goes on with the condition. */
export function heldPasses(kind: FanOutKind, what: SQL, templateId: string, rest: SQL = sql``): SQL {
  const { source, isHeld } = heldSource(kind, templateId);
  return sql`select ${what} from ${source} where ${isHeld} ${rest}`;
}
