import { and, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { isOwnTemplate } from '../template-names.ts';
import { templates } from './table.ts';

/**
 * The statement that keeps a template's number of passes, for the batch that adds (`by` 1) or removes (-1) a pass;
 * `condition` says whether that batch really does.
 */
export function countPass(ctx: AccountContext, templateId: string, by: 1 | -1, condition: SQL) {
  return ctx.db
    .update(templates)
    .set({ passCount: sql`${templates.passCount} + ${by}` })
    .where(and(isOwnTemplate(ctx.account.id, templateId), condition));
}
