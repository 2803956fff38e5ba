import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { invalidField } from '../errors.ts';
import { templates, templateVersions } from '../templates/table.ts';
import type { Scope } from './scope.ts';

/**
 * Throws `invalid` naming the members of a row that no pass of a scope has. `builtIn` are those that all rows have;
 * others may be additional properties, by ID or name. One round trip, none when all are built in.
 */
export async function checkRowMembers(
  ctx: AccountContext,
  scope: Scope,
  names: string[],
  builtIn: Set<string>,
): Promise<void> {
  const others = [...new Set(names.filter((name) => !builtIn.has(name)))];
  if (others.length === 0) return;
  const known = await propertyNames(ctx, scope, others);
  const unknown = others.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const listed = unknown.map((name) => `"${name}"`).join(', ');
  throw invalidField(
    'fields',
    `no row has ${listed}; use names like "userProvidedId", or additional properties by ID or name`,
  );
}

/** Those that are properties of the newest or published versions; the definitions stay in the database. */
async function propertyNames(ctx: AccountContext, { templates: of }: Scope, names: string[]): Promise<Set<string>> {
  const ids = JSON.stringify(of.map(({ id }) => id));
  const rows = await rawStatement<{ name: string }>(
    ctx.db,
    sql`select distinct wanted.value as name from json_each(${ids}) as chosen
      cross join ${templates} on ${templates.id} = chosen.value and ${templates.accountId} = ${ctx.account.id}
      cross join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
        and ${templateVersions.version} in (${templates.version}, ${templates.publishedVersion})
      cross join json_each(${templateVersions.definition}, '$.additionalProperties') as property
      cross join json_each(${JSON.stringify(names)}) as wanted
      where wanted.value in (property.value ->> '$.id', property.value ->> '$.name')`,
  );
  return new Set(rows.map(({ name }) => name));
}
