import { and, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { isOwnTemplate } from '../template-restriction.ts';
import { templates } from './table.ts';

/** Builds the statement that adds `by` to the pass count if `condition` holds, for the batch that changes it. */
export function countPass(ctx: AccountContext, templateId: string, by: 1 | -1 | SQL, condition: SQL) {
  return ctx.db
    .update(templates)
    .set({ passCount: sql`${templates.passCount} + ${by}` })
    .where(and(isOwnTemplate(ctx.account.id, templateId), condition));
}
