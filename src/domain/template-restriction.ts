import { is, SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Context of an account, possibly with an API key that is restricted to templates. */
export interface Restricted {
  account: { templateIds?: readonly string[] };
}

/** The same in SQL; see `Owner`. */
export interface RestrictedInSql {
  account: { templateIds?: readonly string[] | SQL };
}

/**
 * Builds the condition that a row belongs to a template the caller may access, for use beside the account in finders.
 * Returns undefined, which `and` ignores, if the caller may access all templates. The plus keeps the planner from
 * searching by it.
 */
export function isPermitted(who: RestrictedInSql, templateId: SQLWrapper): SQL | undefined {
  return whereRestricted(who, (templateIds) => isAmong(templateId, templateIds));
}

/**
 * Builds the condition of `isWithin` for a caller restricted to templates, whose list is given as SQL for a JSON array.
 * Returns undefined, which `and` ignores, if the caller may access all templates.
 */
export function whereRestricted(
  { account: { templateIds } }: RestrictedInSql,
  isWithin: (templateIds: SQL) => SQL | undefined,
): SQL | undefined {
  if (templateIds === undefined) return undefined;
  if (is(templateIds, SQL)) return sql`(${templateIds} is null or ${isWithin(templateIds)})`;
  return isWithin(sql`${JSON.stringify(templateIds)}`);
}

/** Builds the condition that the caller may access all templates. */
export function isUnrestricted({ account: { templateIds } }: RestrictedInSql): SQL {
  return is(templateIds, SQL) ? sql`(${templateIds} is null)` : sql.raw(String(templateIds === undefined));
}

/** Builds the opposite of `isPermitted`. */
export function isBeyond({ account: { templateIds } }: Restricted, templateId: SQLWrapper): SQL | undefined {
  return templateIds && sql`not ${isAmong(templateId, sql`${JSON.stringify(templateIds)}`)}`;
}

/** Passed as one JSON array, because a statement takes at most 100 parameters. */
function isAmong(templateId: SQLWrapper, templateIds: SQL): SQL {
  return sql`+${templateId} in (select value from json_each(${templateIds}))`;
}

/** Returns whether the caller may access a template. */
export function canUse({ account: { templateIds } }: Restricted, templateId: string): boolean {
  return templateIds?.includes(templateId) ?? true;
}

/** Returns the context without restrictions, for work that a template triggers on its own. */
export function unrestricted<C extends Restricted>(ctx: C): C {
  return ctx.account.templateIds ? { ...ctx, account: { ...ctx.account, templateIds: undefined } } : ctx;
}
