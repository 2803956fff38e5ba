import { eq, type SQL, sql } from 'drizzle-orm';
import { templates } from '../templates/table.ts';
import { passes } from './table.ts';

/**
 * A second between two changes at least, publications among them: devices compare whole seconds and would take two quick changes for one (wallet.md §3).
 */
export const CHANGE_DISTANCE_MS = 1_000;

/**
 * SQL for the `modified_at` of a pass that is being changed: as planned, and behind the last publication of its template, also one that came
 * after the pass was read. `templateId` is where the pass is after the change.
 */
export function changedAt(planned: SQL | number, templateId: SQL | string = sql`${passes.templateId}`): SQL {
  const published = sql`(select ${templates.publishedAt} from ${templates} where ${eq(templates.id, templateId)})`;
  return sql`max(${planned}, coalesce(${published}, 0) + ${CHANGE_DISTANCE_MS})`;
}
