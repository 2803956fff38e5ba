import { and, eq, is, type Placeholder, SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { isUuid, lowerUuid } from '../platform/ids.ts';
import type { AccountContext, Owner } from './context.ts';
import { notFound } from './errors.ts';
import { templates } from './templates/table.ts';

/** Context of an account, possibly with an API key that is restricted to templates. */
interface Restricted {
  account: { templateIds?: readonly string[] };
}

/** The same in SQL; see `Owner`. */
interface RestrictedInSql {
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

type Named = Pick<Owner, 'account'>;

/**
 * Builds the condition for the template with this identifier in the account. The identifier alone could be another
 * account's.
 */
export function isOwnTemplate(accountId: string | Placeholder, templateId: string | Placeholder): SQL {
  // The plus keeps the planner from scanning all templates of the account.
  return sql`(${templates.id} = ${templateId} and +${templates.accountId} = ${accountId})`;
}

/**
 * Builds the condition for the account's template with this name: its identifier, or else its userProvidedId. Each
 * takes one index lookup and reads no other template of the account.
 */
export function isTemplateNamed(ctx: Named, name: string): SQL {
  const mine = and(eq(templates.accountId, ctx.account.id), isPermitted(ctx, templates.id))!;
  const hasName = and(mine, eq(templates.userProvidedId, name))!;
  if (!isUuid(name)) return hasName;
  const id = lowerUuid(name);
  const isIdentifier = sql`exists (select 1 from ${templates} as other where other.id = ${id} and other.account_id = ${templates.accountId})`;
  // Each side names the account, so that SQLite uses an index for each.
  return sql`((${mine} and ${templates.id} = ${id}) or (${hasName} and not ${isIdentifier}))`;
}

/**
 * Builds the SQL of the identifier of the account's template with this name, or null. The second lookup runs only if
 * the first finds nothing.
 */
export function templateIdNamed(ctx: Named, name: string | SQL): SQL<string | null> {
  const found = (is: SQL) =>
    sql`(select ${templates.id} from ${templates} where ${and(eq(templates.accountId, ctx.account.id), is, isPermitted(ctx, templates.id))})`;
  const byName = found(eq(templates.userProvidedId, name));
  if (typeof name === 'string' && !isUuid(name)) return byName as SQL<string | null>;
  return sql`coalesce(${found(sql`${templates.id} = lower(${name})`)}, ${byName})`;
}

/** Returns the identifier of the account's template with this name. Throws not found. One round trip. */
export async function getTemplateId(ctx: AccountContext, name: string): Promise<string> {
  const [template] = await ctx.db.select({ id: templates.id }).from(templates).where(isTemplateNamed(ctx, name));
  if (!template) throw notFound();
  return template.id;
}

/** Builds the audit log target for a template; `name` is as in `templateIdNamed`. */
export function templateTarget(ctx: Named, name: string | SQL) {
  const id = templateIdNamed(ctx, name);
  const isTarget = and(eq(templates.id, id), eq(templates.accountId, ctx.account.id));
  return { type: 'template', id, name: sql`(select ${templates.name} from ${templates} where ${isTarget})` };
}
