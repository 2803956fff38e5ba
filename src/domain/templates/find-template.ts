import { and, eq, type SQL, sql } from 'drizzle-orm';
import { isUuid, lowerUuid } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { templates } from './table.ts';

/**
 * SQL that holds for the account's template that `name` means: by identifier, then by userProvidedId (decisions §8, "Templates"). The common case, an identifier, reads the rows of a plain
 * lookup; of the account's other templates none is looked at.
 */
export function isTemplateNamed({ account }: AccountContext, name: string | SQL): SQL {
  const mine = eq(templates.accountId, account.id);
  const isText = typeof name === 'string';
  if (isText && !isUuid(name)) return and(mine, eq(templates.userProvidedId, name))!;
  const id = isText ? sql`${lowerUuid(name)}` : sql`lower(${name})`;
  const isIdentifier = sql`exists (select 1 from ${templates} as other where other.id = ${id} and other.account_id = ${account.id})`;
  // Each side names the account by itself, so that SQLite looks into an index for each of them.
  return sql`((${mine} and ${templates.id} = ${id}) or (${mine} and ${templates.userProvidedId} = ${name} and not ${isIdentifier}))`;
}

/** SQL for the identifier of the account's template that `name` means, or null. */
export function templateIdNamed(ctx: AccountContext, name: string | SQL): SQL<string | null> {
  return sql`(select ${templates.id} from ${templates} where ${isTemplateNamed(ctx, name)})`;
}

/** The identifier of the account's template of that name. One round trip. Throws not found. */
export async function getTemplateId(ctx: AccountContext, name: string): Promise<string> {
  const [template] = await ctx.db.select({ id: templates.id }).from(templates).where(isTemplateNamed(ctx, name));
  if (!template) throw notFound();
  return template.id;
}
