import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { templates } from './table.ts';

/**
 * The statement that keeps a template's number of passes, for the batch that adds (`by` 1) or removes (-1) a pass; `condition` says whether that
 * batch really does.
 */
export function countPass(ctx: Context, templateId: string, by: 1 | -1, condition: SQL) {
  return ctx.db
    .update(templates)
    .set({ passCount: sql`${templates.passCount} + ${by}` })
    .where(and(eq(templates.id, templateId), condition));
}
