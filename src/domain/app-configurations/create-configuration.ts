import { type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/raw-statement.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { templateIdNamed } from '../template-restriction.ts';
import { newId, writeOnce } from '../write-once.ts';
import { assignIds, type ConfigurationFields } from './configuration-fields.ts';
import { type ListedConfiguration, listedQueries, toListed } from './find-configuration.ts';
import { refuseAllTemplates } from './restricted.ts';
import { CONFIGURATIONS_LIMIT, hasRoom, refusal } from './room.ts';
import { appConfigurations } from './table.ts';

/**
 * Creates a configuration. One round trip. Throws not found for a template that the account doesn't have, and `invalid`
 * if it is full; then nothing is stored.
 */
export async function createConfiguration(
  ctx: AccountContext,
  fields: ConfigurationFields,
): Promise<ListedConfiguration> {
  refuseAllTemplates(ctx, fields);
  const now = Date.now();
  const row = {
    ...fields,
    id: newId(ctx, 'app-configuration'),
    accountId: ctx.account.id,
    additionalProperties: assignIds(fields.additionalProperties),
    createdAt: now,
    scanCount: 0,
  };
  const room = hasRoom(ctx, row);
  const target = { type: 'app_configuration', id: row.id, name: fields.name };
  const find = async () => {
    return (await toListed(ctx, ...(await ctx.db.batch(listedQueries(ctx, row.id)))))[0];
  };
  return writeOnce(ctx, find, async () => {
    const [, , ...read] = await ctx.db.batch([
      ctx.db
        .insert(appConfigurations)
        .select(
          sql`select ${rowValues(appConfigurations, row, namedTemplates(ctx, fields))} where ${templatesExist(ctx, fields)} and ${room}`,
        ),
      recordAction(ctx, { action: 'app_configuration.create', target }),
      ...listedQueries(ctx, row.id),
    ]);
    const [created] = await toListed(ctx, ...read);
    if (!created) throw await refusal(ctx, room, CONFIGURATIONS_LIMIT);
    return created;
  });
}

/** Builds the condition that the account has every named template. With a list, the single one is ignored. */
export function templatesExist(ctx: AccountContext, { passTemplateId, passTemplateIds }: ConfigurationFields): SQL {
  const names = passTemplateIds ?? (passTemplateId ? [passTemplateId] : []);
  if (names.length === 0) return sql`true`;
  return sql`not exists (select 1 from json_each(${JSON.stringify(names)}) as named
    where ${templateIdNamed(ctx, sql`named.value`)} is null)`;
}

/** Builds the identifiers of the named templates, to store instead of their names. */
export function namedTemplates(ctx: AccountContext, { passTemplateId, passTemplateIds }: ConfigurationFields) {
  const one = passTemplateId ? templateIdNamed(ctx, passTemplateId) : sql`null`;
  const ids = sql`select ${templateIdNamed(ctx, sql`named.value`)} as id, min(named.key) as place
    from json_each(${JSON.stringify(passTemplateIds)}) as named group by 1 order by 2`;
  return {
    passTemplateId: one,
    passTemplateIds: passTemplateIds ? sql`(select json_group_array(id) from (${ids}))` : sql`null`,
  };
}
