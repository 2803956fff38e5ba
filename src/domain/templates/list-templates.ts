import { asc, eq } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { templates } from './table.ts';

/** Identifier and name of each template of the account, oldest first. */
export function listTemplates(ctx: AccountContext): Promise<{ identifier: string; name: string }[]> {
  return ctx.db
    .select({ identifier: templates.id, name: templates.name })
    .from(templates)
    .where(eq(templates.accountId, ctx.account.id))
    .orderBy(asc(templates.id));
}
