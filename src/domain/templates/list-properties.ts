import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { templates, templateVersions } from './table.ts';

/** Additional property of the account, with its templates: a copy has the same property as its original. */
export interface ListedProperty {
  id: string;
  name: string;
  /** Names of the first templates, in alphabetical order. */
  templates: string[];
  /** Number of the other templates. */
  more: number;
}

/** Limits of a list: an account can have 10,000 copies of a template with 200 properties. */
const PROPERTIES_MAX = 2_000;
const TEMPLATES_NAMED_MAX = 5;

/** Lists the additional properties of all templates, in their newest or published versions, by name. */
export async function listProperties(ctx: AccountContext): Promise<ListedProperty[]> {
  const held = sql`select property.value ->> '$.id' as id, property.value ->> '$.name' as name, ${templates.name} as template
    from ${templates}
    join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
      and ${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})
    join json_each(${templateVersions.definition}, '$.additionalProperties') as property
    where ${templates.accountId} = ${ctx.account.id}`;
  const placed = sql`select id, min(name) as name, template, count(*) over (partition by id) as templates,
      row_number() over (partition by id order by lower(template), template) as place
    from (${held}) group by id, template`;
  const rows = await rawStatement<{ id: string; name: string; named: string; templates: number }>(
    ctx.db,
    sql`select id, min(name) as name, json_group_array(template order by place) as named, templates from (${placed})
      where place <= ${TEMPLATES_NAMED_MAX} group by id order by 2 limit ${PROPERTIES_MAX}`,
  );
  return rows
    .map(({ id, name, named, templates: count }) => {
      const first: string[] = JSON.parse(named);
      return { id, name, templates: first, more: count - first.length };
    })
    .sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
