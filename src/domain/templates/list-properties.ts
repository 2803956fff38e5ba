import { and, asc, eq, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { templates, templateVersions } from './table.ts';

/** Additional property of the account, with its templates: a copy has the same property as its original. */
export interface ListedProperty {
  id: string;
  name: string;
  /** Names, in alphabetical order. */
  templates: string[];
}

/** Lists the additional properties of all templates, in their newest or published versions, by name. */
export async function listProperties(ctx: AccountContext): Promise<ListedProperty[]> {
  const [id, name] = [sql<string>`property.value ->> '$.id'`, sql<string>`property.value ->> '$.name'`];
  const rows = await ctx.db
    .selectDistinct({ id, name, template: templates.name })
    .from(templates)
    .innerJoin(
      templateVersions,
      and(
        eq(templateVersions.templateId, templates.id),
        sql`${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})`,
      ),
    )
    .innerJoin(sql`json_each(${templateVersions.definition}, '$.additionalProperties') as property`, sql`true`)
    .where(eq(templates.accountId, ctx.account.id))
    .orderBy(asc(sql`lower(${templates.name})`));
  const found = new Map<string, ListedProperty>();
  for (const row of rows) {
    const known = found.get(row.id);
    if (!known) found.set(row.id, { id: row.id, name: row.name, templates: [row.template] });
    else if (!known.templates.includes(row.template)) known.templates.push(row.template);
  }
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
