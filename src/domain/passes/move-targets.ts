import { and, asc, eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { templates } from '../templates/table.ts';
import { isOwnPass } from './own-pass.ts';
import { passes } from './table.ts';

/**
 * The statement that reads the templates of the project of a pass, where it can move; none when it is part of no
 * project.
 */
export function moveTargetsQuery(ctx: AccountContext, passId: string) {
  const project = sql`(select ${templates.projectId} from ${templates} join ${passes} on ${passes.templateId} = ${templates.id}
    where ${isOwnPass(ctx.account.id, passId)})`;
  return ctx.db
    .select({ id: templates.id, name: templates.name })
    .from(templates)
    .where(and(eq(templates.accountId, ctx.account.id), sql`project_id = ${project}`))
    .orderBy(asc(templates.id));
}
