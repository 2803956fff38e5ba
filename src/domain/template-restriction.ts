import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Who acts for an account, perhaps with a key that is restricted to templates. */
export interface Restricted {
  account: { templateIds?: readonly string[] };
}

/**
 * SQL that holds for what belongs to a template that the caller may see; undefined, which `and` leaves out, where that
 * is every template. Stands beside the account in finders. The plus keeps the planner from finding rows by it.
 */
export function isPermitted({ account: { templateIds } }: Restricted, templateId: SQLWrapper): SQL | undefined {
  return templateIds && isAmong(templateId, templateIds);
}

/** The opposite of `isPermitted`. */
export function isBeyond({ account: { templateIds } }: Restricted, templateId: SQLWrapper): SQL | undefined {
  return templateIds && sql`not ${isAmong(templateId, templateIds)}`;
}

/** As a JSON list, because a statement takes a hundred parameters. */
function isAmong(templateId: SQLWrapper, templateIds: readonly string[]): SQL {
  return sql`+${templateId} in (select value from json_each(${JSON.stringify(templateIds)}))`;
}

/** Whether the caller may see a template. */
export function mayUse({ account: { templateIds } }: Restricted, templateId: string): boolean {
  return templateIds?.includes(templateId) ?? true;
}

/** The same context for what a template does by itself, whoever the caller is. */
export function unrestricted<C extends Restricted>(ctx: C): C {
  return ctx.account.templateIds ? { ...ctx, account: { ...ctx.account, templateIds: undefined } } : ctx;
}
