import { eq, type SQL, sql } from 'drizzle-orm';
import type { AccountContext } from '../context.ts';
import { type DomainError, invalid, notFound } from '../errors.ts';
import { isExisting } from './find-configuration.ts';
import { type AppConfiguration, appConfigurationLinks, appConfigurations } from './table.ts';

/** Limits of an account: the list of configurations returns all of them with their links. */
const CONFIGURATIONS_MAX = 1_000;
const CHARS_MAX = 2_000_000;
const LINKS_MAX = 10_000;

/** Characters of a template's identifier in a list. */
const ID_CHARS = 39;

/** Builds the condition that the account has room for a configuration. An existing one may also keep its size. */
export function hasRoom(
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

export const CONFIGURATIONS_LIMIT =
  `${CONFIGURATIONS_MAX} app configurations, with ${CHARS_MAX} characters of ` +
  'passTemplateIds and additionalProperties in all';
export const LINKS_LIMIT = `${LINKS_MAX} scanner links`;

/** Returns the error of a row that wasn't stored: there is no `room`, or something doesn't exist. */
export async function refusal(ctx: AccountContext, room: SQL, limit: string): Promise<DomainError> {
  const [found] = await ctx.db.select({ room: room.mapWith(Boolean).as('room') }).from(sql`(select 1)`);
  return found?.room ? notFound() : invalid(`An account can have at most ${limit}; delete some first`);
}
