import { type SQL, sql } from 'drizzle-orm';
import { shardOf, uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { templates } from '../templates/table.ts';
import { type ConfigurationFields, identified } from './configuration-fields.ts';
import { type ListedConfiguration, listedQueries, toListed } from './find-configuration.ts';
import { appConfigurations } from './table.ts';

/** Creates an app configuration. One round trip. Throws not found for a template that the account does not have; then nothing is stored. */
export async function createConfiguration(
  ctx: AccountContext,
  fields: ConfigurationFields,
): Promise<ListedConfiguration> {
  const now = Date.now();
  const row = {
    ...fields,
    id: uuidv7(shardOf(ctx.account.id), now),
    accountId: ctx.account.id,
    additionalProperties: identified(fields.additionalProperties),
    createdAt: now,
    scanCount: 0,
  };
  const [, rows, links] = await ctx.db.batch([
    ctx.db
      .insert(appConfigurations)
      .select(sql`select ${rowValues(appConfigurations, row)} where ${templatesExist(ctx, fields)}`),
    ...listedQueries(ctx, row.id),
  ]);
  const [created] = await toListed(ctx, rows, links);
  if (!created) throw notFound();
  return created;
}

/** SQL that holds while the account has every template that is named. */
export function templatesExist(ctx: AccountContext, { passTemplateId, passTemplateIds }: ConfigurationFields): SQL {
  const ids = [...new Set([...(passTemplateIds ?? []), ...(passTemplateId ? [passTemplateId] : [])])];
  if (ids.length === 0) return sql`true`;
  return sql`(select count(*) from json_each(${JSON.stringify(ids)}) as named
    join ${templates} on ${templates.id} = named.value and ${templates.accountId} = ${ctx.account.id}) = ${ids.length}`;
}
