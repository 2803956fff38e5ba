import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
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

const CHARS = sql`(coalesce(length(${appConfigurations.passTemplateIds}), 0) + length(${appConfigurations.additionalProperties}))`;

type Sized = Pick<AppConfiguration, 'id' | 'passTemplateIds' | 'additionalProperties'>;

const charsOf = ({ passTemplateIds, additionalProperties }: Sized) =>
  (passTemplateIds?.length ?? 0) * ID_CHARS + JSON.stringify(additionalProperties).length;

/** Builds the condition that the account has room for another configuration. */
export function hasRoom(ctx: AccountContext, row: Sized): SQL {
  return sql`(select count(*) < ${CONFIGURATIONS_MAX} and total(${CHARS}) + ${charsOf(row)} <= ${CHARS_MAX}
    from ${appConfigurations} where ${isExisting(ctx)})`;
}

/** Builds the condition that a configuration may change to this one: it doesn't grow, or the account has room. */
export function canGrow(ctx: AccountContext, row: Sized): SQL {
  const others = and(isExisting(ctx), ne(appConfigurations.id, row.id));
  return sql`(${CHARS} >= ${charsOf(row)} or (select total(${CHARS}) + ${charsOf(row)} <= ${CHARS_MAX}
    from ${appConfigurations} where ${others}))`;
}

/** Builds the condition that the account has room for another link. */
export function hasLinkRoom({ account }: Pick<AccountContext, 'account'>): SQL {
  return sql`(select count(*) < ${LINKS_MAX} from ${appConfigurationLinks}
    where ${eq(appConfigurationLinks.accountId, account.id)})`;
}

export const CONFIGURATIONS_LIMIT = `${CONFIGURATIONS_MAX} app configurations, with ${CHARS_MAX} characters of passTemplateIds and additionalProperties in all`;
export const LINKS_LIMIT = `${LINKS_MAX} scanner links`;

/**
 * Returns the error of a row that wasn't stored: there is no `room`, or something doesn't exist. `changedId` is the
 * configuration that `room` is about.
 */
export async function refusal(ctx: AccountContext, room: SQL, limit: string, changedId?: string): Promise<DomainError> {
  const isTarget = changedId && and(isExisting(ctx), eq(appConfigurations.id, changedId));
  const isFull = sql<number>`not ${room}`.as('is_full');
  const [found] = isTarget
    ? await ctx.db.select({ isFull }).from(appConfigurations).where(isTarget)
    : await ctx.db.select({ isFull }).from(sql`(select 1)`);
  return found?.isFull ? invalid(`An account can have at most ${limit}; delete some first`) : notFound();
}
