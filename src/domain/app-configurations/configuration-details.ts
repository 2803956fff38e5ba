import { and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
import { UUID_PATTERN } from '../../platform/ids.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { templates } from '../templates/table.ts';
import { configurationQuery, ownConfigurations } from './find-configuration.ts';
import { type LinkFacts, openSecrets } from './link-secrets.ts';
import { NAMED_TEMPLATES } from './restricted.ts';
import { type AppConfiguration, type AppConfigurationLink, appConfigurationLinks, appConfigurations } from './table.ts';

/** A configuration in a console list. */
export interface ConfigurationFacts extends Pick<AppConfiguration, 'id' | 'name' | 'place' | 'scanMode' | 'scanCount'> {
  linkCount: number;
  /** Number of its templates; 0: all. */
  templateCount: number;
  templateName: string | null;
}

/** Returns the account's configurations, oldest first, after the one named by `afterId`. One round trip. */
export function listConfigurationFacts(
  ctx: AccountContext,
  { limit, afterId }: { limit: number; afterId?: string },
): Promise<ConfigurationFacts[]> {
  const { id, name, place, scanMode, scanCount } = appConfigurations;
  return ctx.db
    .select({
      id,
      name,
      place,
      scanMode,
      scanCount,
      // Includes the table name: drizzle omits it, and links have their own `id`.
      linkCount: sql<number>`(select count(*) from ${appConfigurationLinks}
        where ${appConfigurationLinks.accountId} = ${ctx.account.id} and ${appConfigurationLinks.configurationId} = ${appConfigurations}.id)`,
      templateCount: sql<number>`json_array_length(${NAMED_TEMPLATES})`,
      templateName: sql<string | null>`(select ${templates.name} from ${templates}
        where ${templates.id} = ${NAMED_TEMPLATES} ->> 0 and json_array_length(${NAMED_TEMPLATES}) = 1 and ${templates.accountId} = ${ctx.account.id})`,
    })
    .from(appConfigurations)
    .where(and(ownConfigurations(ctx), afterId === undefined ? undefined : gt(id, afterId)))
    .orderBy(asc(id))
    .limit(limit);
}

/** Returns the names of all the account's configurations, oldest first. */
export function configurationNames(ctx: AccountContext) {
  const { id, name, place } = appConfigurations;
  return ctx.db.select({ id, name, place }).from(appConfigurations).where(ownConfigurations(ctx)).orderBy(asc(id));
}

/** A configuration on its page. */
export interface ConfigurationDetails {
  configuration: AppConfiguration;
  /** Its templates; empty: all. */
  templates: { id: string; name: string }[];
  /** Newest first, without their secrets. */
  links: AppConfigurationLink[];
}

/**
 * Returns a configuration with a page of its links, after the one named by `beforeId`. One round trip; throws not
 * found.
 */
export async function getConfigurationDetails(
  ctx: AccountContext,
  id: string,
  { linkLimit, beforeId }: { linkLimit: number; beforeId?: string },
): Promise<ConfigurationDetails> {
  const [[configuration], named, links] = await ctx.db.batch([
    configurationQuery(ctx, id),
    ctx.db
      .select({ id: templates.id, name: templates.name })
      .from(templates)
      .where(
        and(
          eq(templates.accountId, ctx.account.id),
          sql`${templates.id} in (select value from ${appConfigurations}, json_each(${NAMED_TEMPLATES})
            where ${and(eq(appConfigurations.id, id), ownConfigurations(ctx))})`,
        ),
      )
      .orderBy(asc(templates.id)),
    ctx.db
      .select()
      .from(appConfigurationLinks)
      .where(and(ofConfiguration(ctx, id), beforeId === undefined ? undefined : lt(appConfigurationLinks.id, beforeId)))
      .orderBy(desc(appConfigurationLinks.id))
      .limit(linkLimit),
  ]);
  if (!configuration) throw notFound();
  return { configuration, templates: named, links };
}

function ofConfiguration(ctx: AccountContext, id: string) {
  return and(eq(appConfigurationLinks.accountId, ctx.account.id), eq(appConfigurationLinks.configurationId, id));
}

/** Returns a link with its secrets and its configuration. One round trip; throws not found. */
export async function getLink(
  ctx: AccountContext,
  configurationId: string,
  id: string,
): Promise<LinkFacts & { configuration: AppConfiguration }> {
  if (!UUID_PATTERN.test(id)) throw notFound();
  const [[configuration], [link]] = await ctx.db.batch([
    configurationQuery(ctx, configurationId),
    ctx.db
      .select()
      .from(appConfigurationLinks)
      .where(and(ofConfiguration(ctx, configurationId), eq(appConfigurationLinks.id, id))),
  ]);
  if (!configuration || !link) throw notFound();
  return { ...(await openSecrets(ctx, link)), configuration };
}
