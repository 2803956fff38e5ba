import { eq, type SQL, sql } from 'drizzle-orm';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { CHANGE_DISTANCE_MS } from '../versions.ts';
import { passes } from './table.ts';

/**
 * Builds the new `modified_at` of a pass: as planned, but after the last publication of its template, even one after
 * the read. `template` is its template after the change; absent: the current one.
 */
export function changedAt(planned: SQL | number, template?: { id: string; accountId: string }): SQL {
  const published = sql`(select ${templates.publishedAt} from ${templates} where ${template ? isOwnTemplate(template.accountId, template.id) : eq(templates.id, passes.templateId)})`;
  return sql`max(${planned}, coalesce(${published}, 0) + ${CHANGE_DISTANCE_MS})`;
}
