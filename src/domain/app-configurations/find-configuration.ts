import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { BatchPart } from '../../platform/batch-part.ts';
import { UUID_PATTERN } from '../../platform/ids.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
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
  /** The first places in its templates; null if it is for all templates, or they have no places or too many. */
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
  return { queries: [...listedQueries(owner, undefined)], read: (results) => results as ConfigurationsRead };
}

/** Returns one configuration of the account in the form of the list; throws not found. */
export async function getListedConfiguration(ctx: AccountContext, id: string): Promise<ListedConfiguration> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [found] = await readListed(ctx, id);
  if (!found) throw notFound();
  return found;
}

/** Reads configurations of the account, or one of them, in the form of the list. One round trip. */
export async function readListed(ctx: AccountContext, id: string | undefined): Promise<ListedConfiguration[]> {
  return toListed(ctx, ...(await ctx.db.batch(listedQueries(ctx, id))));
}

/** Places of a configuration, and characters of all places, in a list: the templates' places could be gigabytes. */
export const PLACES_LISTED_MAX = 1_000;
const PLACES_CHARS_MAX = 5_000_000;

const COVERED = sql`json_each(coalesce(${appConfigurations.passTemplateIds}, json_array(${appConfigurations.passTemplateId})))`;

/** Builds the queries whose results `toListed` takes. */
export function listedQueries(ctx: Owner, id: string | undefined) {
  const isListed = and(ownConfigurations(ctx), id === undefined ? undefined : eq(appConfigurations.id, id));
  const isOwn = sql`${templates.accountId} = ${ctx.account.id}`;
  const isCovered = sql`${templates.id} in (select covered.value from ${appConfigurations}, ${COVERED} as covered where ${isListed})`;
  const places = sql`${templateVersions.definition} -> '$.validValidationPlaces'`;
  const known = sql`select ${templates.id}, ${places} as places from ${templates}
    join ${templateVersions} on ${templateVersions.templateId} = ${templates.id} and ${templateVersions.version} = ${templates.version}
    where ${isOwn} and ${isCovered}`;
  return [
    ctx.db
      .select({
        configuration: appConfigurations,
        templateName: sql<string | null>`iif(${appConfigurations.passTemplateIds} is null,
          (select ${templates.name} from ${templates} where ${isOwn} and ${templates.id} = ${appConfigurations.passTemplateId}), null)`.as(
          'template_name',
        ),
      })
      .from(appConfigurations)
      .where(isListed)
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
    rawStatement<{ id: string; places: string }>(
      ctx.db,
      sql`select id, places from (select *, sum(length(places)) over (order by id) as chars from (${known}))
        where chars <= ${PLACES_CHARS_MAX}`,
    ),
  ] as const;
}

type Queries = ReturnType<typeof listedQueries>;
type ConfigurationsRead = [
  rows: Awaited<Queries[0]>,
  links: Awaited<Queries[1]>,
  places: { id: string; places: string }[],
];

/** Builds configurations from the results of `listedQueries`. */
export async function toListed(
  ctx: Context,
  ...[rows, links, places]: ConfigurationsRead
): Promise<ListedConfiguration[]> {
  const opened = await Promise.all(links.map((link) => openSecrets(ctx, link)));
  const linksOf = Map.groupBy(opened, ({ link }) => link.configurationId);
  const placesOf = new Map(places.map((row) => [row.id, JSON.parse(row.places) as string[]]));
  let room = PLACES_CHARS_MAX;
  return rows.map(({ configuration, templateName }) => {
    const { id, passTemplateId, passTemplateIds } = configuration;
    const covered = passTemplateIds ?? (passTemplateId ? [passTemplateId] : []);
    const known = firstPlaces(covered.map((one) => placesOf.get(one) ?? []));
    room -= known.join('').length;
    return {
      configuration,
      templateName,
      validValidationPlaces: known.length > 0 && room >= 0 ? known : null,
      links: linksOf.get(id) ?? [],
    };
  });
}

function firstPlaces(lists: string[][]): string[] {
  const found = new Set<string>();
  for (const list of lists) {
    for (const place of list) found.add(place);
    if (found.size >= PLACES_LISTED_MAX) break;
  }
  return [...found].slice(0, PLACES_LISTED_MAX);
}
