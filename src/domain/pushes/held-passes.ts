import { type SQL, sql } from 'drizzle-orm';
import { passes } from '../passes/table.ts';
import type { FanOutKind } from './table.ts';

/**
 * SQL that selects `what` from the passes of a template that a fan-out covers: those on a device, or those at Google;
 * `rest` goes on with the condition. Each has a partial index, which is named because the planner would not always
 * choose it, and whose condition is spelt out because it would not serve otherwise.
 */
export function heldPasses(kind: FanOutKind, what: SQL, templateId: string, rest: SQL = sql``): SQL {
  const [index, isHeld] =
    kind === 'google'
      ? ['passes_at_google_by_template', 'google_published_at is not null']
      : ['passes_active_keys_by_template', 'number_of_active > 0'];
  return sql`select ${what} from ${passes} indexed by ${sql.raw(index)}
    where template_id = ${templateId} and ${sql.raw(isHeld)} ${rest}`;
}
