import { asc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type Template, templates } from './table.ts';

/** What a person's overview shows of a template; `passCount` is the number of existing passes. */
export type TemplateFacts = Pick<Template, 'id' | 'name' | 'passCount'>;

/** The account's templates, oldest first. */
export function listTemplateFacts(ctx: AccountContext): Promise<TemplateFacts[]> {
  return ctx.db
    .select({ id: templates.id, name: templates.name, passCount: templates.passCount })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id))
    .orderBy(asc(templates.id));
}
