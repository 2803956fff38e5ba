import { is, SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** A context that acts for an account, perhaps with a key that is restricted to templates. */
export interface Restricted {
  account: { templateIds?: readonly string[] };
}

/** The same as statements name it; see `Owner`. */
export interface RestrictedInSql {
  account: { templateIds?: readonly string[] | SQL };
}

/**
 * SQL that holds for what belongs to a template that the caller may see; undefined, which `and` leaves out, where that
 * is every template. Stands beside the account in finders. The plus keeps the planner from finding rows by it.
 */
export function isPermitted(who: RestrictedInSql, templateId: SQLWrapper): SQL | undefined {
  return whereRestricted(who, (templateIds) => isAmong(templateId, templateIds));
}

/**
 * SQL of `isWithin` where the caller is restricted to templates, which it gets as SQL for a JSON list; undefined, which
 * `and` leaves out, where the caller may see every template.
 */
export function whereRestricted(
  { account: { templateIds } }: RestrictedInSql,
  isWithin: (templateIds: SQL) => SQL | undefined,
): SQL | undefined {
  if (templateIds === undefined) return undefined;
  if (is(templateIds, SQL)) return sql`(${templateIds} is null or ${isWithin(templateIds)})`;
  return isWithin(sql`${JSON.stringify(templateIds)}`);
}

/** SQL that holds where the caller may see every template. */
export function isUnrestricted({ account: { templateIds } }: RestrictedInSql): SQL {
  return is(templateIds, SQL) ? sql`(${templateIds} is null)` : sql.raw(String(templateIds === undefined));
}

/** The opposite of `isPermitted`. */
export function isBeyond({ account: { templateIds } }: Restricted, templateId: SQLWrapper): SQL | undefined {
  return templateIds && sql`not ${isAmong(templateId, sql`${JSON.stringify(templateIds)}`)}`;
}

/** As a JSON list, because a statement takes a hundred parameters. */
function isAmong(templateId: SQLWrapper, templateIds: SQL): SQL {
  return sql`+${templateId} in (select value from json_each(${templateIds}))`;
}

/** Whether the caller may see a template. */
export function mayUse({ account: { templateIds } }: Restricted, templateId: string): boolean {
  return templateIds?.includes(templateId) ?? true;
}

/** The same context for what a template does by itself, whoever the caller is. */
export function unrestricted<C extends Restricted>(ctx: C): C {
  return ctx.account.templateIds ? { ...ctx, account: { ...ctx.account, templateIds: undefined } } : ctx;
}
