import { eq, type SQL, sql } from 'drizzle-orm';
import { isOwnTemplate } from '../template-names.ts';
import { templates } from '../templates/table.ts';
import { passes } from './table.ts';

/**
 * A second between two changes at least, publications among them: devices compare whole seconds and would take two
 * quick changes for one (Apple, Wallet Passes).
 */
export const CHANGE_DISTANCE_MS = 1_000;

/**
 * SQL for the `modified_at` of a pass that is being changed: as planned, and behind the last publication of its
 * template, also one that came after the pass was read. `template` is where the pass is after the change; absent: where
 * it is.
 */
export function changedAt(planned: SQL | number, template?: { id: string; accountId: string }): SQL {
  const published = sql`(select ${templates.publishedAt} from ${templates} where ${template ? isOwnTemplate(template.accountId, template.id) : eq(templates.id, passes.templateId)})`;
  return sql`max(${planned}, coalesce(${published}, 0) + ${CHANGE_DISTANCE_MS})`;
}
