import { and, eq } from 'drizzle-orm';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { newId } from '../write-once.ts';
import type { ConfigurationFields } from './configuration-fields.ts';
import { assignIds } from './configuration-fields.ts';
import { namedTemplates, templatesExist } from './create-configuration.ts';
import {
  getConfiguration,
  type ListedConfiguration,
  listedQueries,
  ownConfigurations,
  toListed,
} from './find-configuration.ts';
import { refuseAllTemplates } from './restricted.ts';
import { CONFIGURATIONS_LIMIT, hasRoom, refusal } from './room.ts';
import { appConfigurations } from './table.ts';

/**
 * Replaces the fields of a configuration. Its identifier, links and scans stay, as do the identifiers of properties
 * that are sent again. Two round trips. Throws not found for an unknown configuration or template, and `invalid` if
 * the account is full.
 */
export async function updateConfiguration(
  ctx: AccountContext,
  id: string,
  fields: ConfigurationFields,
): Promise<ListedConfiguration> {
  const before = await getConfiguration(ctx, id);
  refuseAllTemplates(ctx, fields);
  const additionalProperties = assignIds(fields.additionalProperties, before.additionalProperties);
  const values = { ...fields, ...namedTemplates(ctx, fields), additionalProperties };
  const room = hasRoom(ctx, { id, passTemplateIds: fields.passTemplateIds, additionalProperties });
  const isTarget = and(eq(appConfigurations.id, id), ownConfigurations(ctx), templatesExist(ctx, fields), room);
  const target = { type: 'app_configuration', id, name: fields.name };
  const changes = columnChanges(appConfigurations, values);
  const from = appConfigurations;
  // A repeated request finds its entry and adds no other.
  const entry = { id: newId(ctx, `change configuration ${id}`), action: 'app_configuration.change' } as const;
  const [, updated, ...read] = await ctx.db.batch([
    recordAction(ctx, { ...entry, target, changes, from }, isTarget),
    ctx.db.update(appConfigurations).set(values).where(isTarget).returning({ id: appConfigurations.id }),
    ...listedQueries(ctx, id),
  ]);
  const [configuration] = await toListed(ctx, ...read);
  if (updated.length === 0 || !configuration) throw await refusal(ctx, room, CONFIGURATIONS_LIMIT);
  return configuration;
}
