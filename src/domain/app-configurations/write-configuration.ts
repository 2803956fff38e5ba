import { and, eq, type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/raw-statement.ts';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid, notFound } from '../errors.ts';
import { templateIdNamed } from '../template-restriction.ts';
import { newId, writeOnce } from '../write-once.ts';
import { assignIds, type ConfigurationFields } from './configuration-fields.ts';
import {
  getConfiguration,
  isExisting,
  type ListedConfiguration,
  listedQueries,
  ownConfigurations,
  readListed,
  toListed,
} from './find-configuration.ts';
import { refuseAllTemplates } from './restricted.ts';
import { type AppConfiguration, appConfigurationLinks, appConfigurations } from './table.ts';

/** Limits of an account: the list of configurations returns all of them with their links. */
const CONFIGURATIONS_MAX = 1_000;
const CHARS_MAX = 2_000_000;
const LINKS_MAX = 10_000;

/** Characters of a template's identifier in a list. */
const ID_CHARS = 39;

/** Builds the condition that the account has room for a configuration. An existing one may also keep its size. */
function hasRoom(
  ctx: AccountContext,
  row: Pick<AppConfiguration, 'id' | 'passTemplateIds' | 'additionalProperties'>,
): SQL {
  const { id, passTemplateIds, additionalProperties } = appConfigurations;
  const chars = (row.passTemplateIds?.length ?? 0) * ID_CHARS + JSON.stringify(row.additionalProperties).length;
  const stored = sql`(coalesce(length(${passTemplateIds}), 0) + length(${additionalProperties}))`;
  const isIt = eq(id, row.id);
  return sql`(select (count(*) < ${CONFIGURATIONS_MAX} or max(${isIt}))
    and (total(iif(${isIt}, 0, ${stored})) + ${chars} <= ${CHARS_MAX} or total(iif(${isIt}, ${stored}, 0)) >= ${chars})
    from ${appConfigurations} where ${isExisting(ctx)})`;
}

/** Builds the condition that the account has room for another link. */
export function hasLinkRoom({ account }: Pick<AccountContext, 'account'>): SQL {
  return sql`(select count(*) < ${LINKS_MAX} from ${appConfigurationLinks}
    where ${eq(appConfigurationLinks.accountId, account.id)})`;
}

const CONFIGURATIONS_LIMIT =
  `${CONFIGURATIONS_MAX} app configurations, with ${CHARS_MAX} characters of ` +
  'passTemplateIds and additionalProperties in all';
export const LINKS_LIMIT = `${LINKS_MAX} scanner links`;

/** Returns the error of a row that wasn't stored: there is no `room`, or something doesn't exist. */
export async function refusal(ctx: AccountContext, room: SQL, limit: string): Promise<DomainError> {
  const [found] = await ctx.db.select({ room: room.mapWith(Boolean).as('room') }).from(sql`(select 1)`);
  return found?.room ? notFound() : invalid(`An account can have at most ${limit}; delete some first`);
}

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
  const find = async () => (await readListed(ctx, row.id))[0];
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
function templatesExist(ctx: AccountContext, { passTemplateId, passTemplateIds }: ConfigurationFields): SQL {
  const names = passTemplateIds ?? (passTemplateId ? [passTemplateId] : []);
  if (names.length === 0) return sql`true`;
  return sql`not exists (select 1 from json_each(${JSON.stringify(names)}) as named
    where ${templateIdNamed(ctx, sql`named.value`)} is null)`;
}

/** Builds the identifiers of the named templates, to store instead of their names. */
function namedTemplates(ctx: AccountContext, { passTemplateId, passTemplateIds }: ConfigurationFields) {
  const one = passTemplateId ? templateIdNamed(ctx, passTemplateId) : sql`null`;
  const ids = sql`select ${templateIdNamed(ctx, sql`named.value`)} as id, min(named.key) as place
    from json_each(${JSON.stringify(passTemplateIds)}) as named group by 1 order by 2`;
  return {
    passTemplateId: one,
    passTemplateIds: passTemplateIds ? sql`(select json_group_array(id) from (${ids}))` : sql`null`,
  };
}

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
