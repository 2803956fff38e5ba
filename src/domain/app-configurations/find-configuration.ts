import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { type BatchPart, bothOf, rowsOf } from '../../platform/batch-part.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext, Context, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import { whereRestricted } from '../template-restriction.ts';
import { templates, templateVersions } from '../templates/table.ts';
import { type LinkFacts, openSecrets } from './link-secrets.ts';
import { canScanOneOf, isManageable, isManageableLink } from './restricted.ts';
import { type AppConfiguration, appConfigurationLinks, appConfigurations } from './table.ts';

/** A configuration with the related data that replies need. */
export interface ListedConfiguration {
  configuration: AppConfiguration;
  /** Name of the template of `passTemplateId`, if that applies and the template exists. */
  templateName: string | null;
  /** Places in its templates; null if it is for all templates, or they have no places. */
  validValidationPlaces: string[] | null;
  /** Oldest first. */
  links: LinkFacts[];
}

/** Builds the condition for the account's configurations that a key may see; see `isManageable` for restricted keys. */
export function ownConfigurations(ctx: Pick<Owner, 'account'>): SQL | undefined {
  return and(isExisting(ctx), isManageable(ctx));
}

/**
 * Builds the condition for configurations with which the caller may scan: for a restricted key, those that scan one of
 * its templates.
 */
export function usableConfigurations(ctx: Pick<Owner, 'account'>): SQL | undefined {
  return and(isExisting(ctx), whereRestricted(ctx, canScanOneOf));
}

/** Builds the condition for the account's configurations that aren't deleted. */
export function isExisting(ctx: Pick<Owner, 'account'>): SQL | undefined {
  return and(eq(appConfigurations.accountId, ctx.account.id), isNull(appConfigurations.deletedAt));
}

/** Returns the account's configuration with this identifier. One round trip; throws not found. */
export async function getConfiguration(ctx: AccountContext, id: string): Promise<AppConfiguration> {
  const [configuration] = await configurationQuery(ctx, id);
  if (!configuration) throw notFound();
  return configuration;
}

/** Builds the query of `getConfiguration`, for a batch with other reads. */
export function configurationQuery(ctx: AccountContext, id: string) {
  return ctx.db
    .select()
    .from(appConfigurations)
    .where(and(eq(appConfigurations.id, id), ownConfigurations(ctx)));
}

/** Returns all configurations of the account, oldest first, with their links. One round trip, none with `read`. */
export async function listConfigurations(
  ctx: AccountContext,
  read?: ConfigurationsRead,
): Promise<ListedConfiguration[]> {
  return read ? toListed(ctx, ...read) : readListed(ctx, undefined);
}

/** Builds the queries of `listConfigurations`, for a batch with others. */
export function configurationsPart(owner: Owner): BatchPart<ConfigurationsRead> {
  const [rows, links] = listedQueries(owner, undefined);
  return bothOf(rowsOf(rows), rowsOf(links));
}

/** Returns one configuration of the account in the form of the list; throws not found. */
export async function getListedConfiguration(ctx: AccountContext, id: string): Promise<ListedConfiguration> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [found] = await readListed(ctx, id);
  if (!found) throw notFound();
  return found;
}

async function readListed(ctx: AccountContext, id: string | undefined): Promise<ListedConfiguration[]> {
  const [rows, links] = await ctx.db.batch(listedQueries(ctx, id));
  return toListed(ctx, rows, links);
}

const COVERED = sql`(select value from json_each(coalesce(${appConfigurations.passTemplateIds}, json_array(${appConfigurations.passTemplateId}))))`;

/** Builds the queries whose results `toListed` takes. */
export function listedQueries(ctx: Owner, id: string | undefined) {
  const ofTemplates = (what: SQL, join = sql``) =>
    sql`(select ${what} from ${templates} ${join} where ${templates.accountId} = ${ctx.account.id} and ${templates.id} in ${COVERED})`;
  const newest = sql`join ${templateVersions} on ${templateVersions.templateId} = ${templates.id}
    and ${templateVersions.version} = ${templates.version}`;
  const places = sql`json_group_array(json_extract(${templateVersions.definition}, '$.validValidationPlaces'))`;
  return [
    ctx.db
      .select({
        configuration: appConfigurations,
        templateName: sql<string | null>`iif(${appConfigurations.passTemplateIds} is null,
          ${ofTemplates(sql`${templates.name}`)}, null)`.as('template_name'),
        places: sql<string>`${ofTemplates(places, newest)}`.as('places'),
      })
      .from(appConfigurations)
      .where(and(ownConfigurations(ctx), id === undefined ? undefined : eq(appConfigurations.id, id)))
      .orderBy(asc(appConfigurations.id)),
    ctx.db
      .select()
      .from(appConfigurationLinks)
      .where(
        and(
          eq(appConfigurationLinks.accountId, ctx.account.id),
          id === undefined ? undefined : eq(appConfigurationLinks.configurationId, id),
          isManageableLink(ctx),
        ),
      )
      .orderBy(asc(appConfigurationLinks.configurationId), asc(appConfigurationLinks.id)),
  ] as const;
}

type Queries = ReturnType<typeof listedQueries>;
type ConfigurationsRead = [rows: Awaited<Queries[0]>, links: Awaited<Queries[1]>];

/** Builds configurations from the results of `listedQueries`. */
export async function toListed(
  ctx: Context,
  rows: Awaited<Queries[0]>,
  links: Awaited<Queries[1]>,
): Promise<ListedConfiguration[]> {
  const opened = await Promise.all(links.map((link) => openSecrets(ctx, link)));
  const linksOf = Map.groupBy(opened, ({ link }) => link.configurationId);
  return rows.map(({ configuration, templateName, places }) => {
    const known = [...new Set((JSON.parse(places) as (string[] | null)[]).flatMap((list) => list ?? []))];
    return {
      configuration,
      templateName,
      validValidationPlaces: known.length > 0 ? known : null,
      links: linksOf.get(configuration.id) ?? [],
    };
  });
}
