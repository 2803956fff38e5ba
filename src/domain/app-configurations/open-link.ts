import { and, eq, isNull, sql } from 'drizzle-orm';
import { type BatchPart, EMPTY_PART, rowsOf } from '../../platform/batch-part.ts';
import { sha256 } from '../../platform/crypto.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import { shardOfToken } from '../../platform/shard-tokens.ts';
import { accounts } from '../accounts/table.ts';
import { type AccountContext, actingFor, type Context, refuseCopy } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { publicKeysQuery } from '../signing-keys/signer.ts';
import { suspended } from '../suspended.ts';
import { isExpired } from './link-secrets.ts';
import { type AppConfiguration, type AppConfigurationLink, appConfigurationLinks, appConfigurations } from './table.ts';

/** A link opened by the scanner. */
export interface OpenedLink {
  /** Acts for the account of the link. */
  ctx: AccountContext;
  link: AppConfigurationLink;
  /** The link's own configuration, or the requested one. */
  configuration: AppConfiguration;
  /** Whether the app must show that its user knows the PIN (`isLinkProof`). */
  isExpired: boolean;
}

const DIGEST = sql.placeholder('digest');
const IS_NAMED = eq(appConfigurationLinks.tokenDigest, DIGEST);
const ofLink = (column: 'account_id' | 'configuration_id') =>
  sql`(select ${sql.identifier(column)} from ${appConfigurationLinks} where ${IS_NAMED})`;

/** Account of the link with the placeholder `digest`; for queries in the round trip of `openLink`. */
export const ACCOUNT_OF_LINK = ofLink('account_id');

const linkQuery = prepareQuery((db) => db.select().from(appConfigurationLinks).where(IS_NAMED));
const accountQuery = prepareQuery((db) => db.select().from(accounts).where(eq(accounts.id, ACCOUNT_OF_LINK)));

/** Another configuration than the link's own, only if the link allows it. */
const WANTED = sql`(select iif(can_change_config, coalesce(${sql.placeholder('configurationId')}, configuration_id), configuration_id)
  from ${appConfigurationLinks} where ${IS_NAMED})`;
const configurationQuery = prepareQuery((db) =>
  db
    .select()
    .from(appConfigurations)
    .where(
      and(
        eq(appConfigurations.id, WANTED),
        eq(appConfigurations.accountId, ACCOUNT_OF_LINK),
        isNull(appConfigurations.deletedAt),
      ),
    ),
);

/**
 * Returns the link at `/scan/<token>` with its account and configuration, or `configurationId` if the link allows
 * changing. Undefined if there is none; throws `suspended` for the account. `readAhead` adds queries to the round trip,
 * which use the token's digest and `ACCOUNT_OF_LINK`.
 */
export async function openLink<T = undefined>(
  ctx: Context,
  token: string,
  configurationId?: string,
  readAhead: (digest: string) => BatchPart<T> = () => EMPTY_PART,
): Promise<(OpenedLink & { ahead: T }) | undefined> {
  const digest = await sha256(token);
  return findInShard(ctx, { shard: shardOfToken(token), name: digest }, (home) =>
    openIn(home, { digest, configurationId, readAhead }),
  );
}

const publicKeys = prepareQuery((db) => publicKeysQuery(db, ACCOUNT_OF_LINK));

/** Opens a link like `openLink`, and reads the public keys of the account (PEM) in the same round trip. */
export async function openLinkWithKeys(
  ctx: Context,
  token: string,
  configurationId?: string,
): Promise<LinkWithKeys | undefined> {
  const opened = await openLink(ctx, token, configurationId, (digest) => rowsOf(publicKeys(ctx.db, { digest })));
  return opened && { ...opened, publicKeys: opened.ahead.map(({ pem }) => pem) };
}

/** A link with the keys that its app needs to check signatures. */
export interface LinkWithKeys extends OpenedLink {
  publicKeys: string[];
}

interface LinkQuery<T> {
  digest: string;
  configurationId?: string;
  readAhead: (digest: string) => BatchPart<T>;
}

async function openIn<T>(ctx: Context, { digest, configurationId, readAhead }: LinkQuery<T>) {
  const { queries, read } = readAhead(digest);
  const [links, owners, configurations, ...results] = await ctx.db.batch([
    linkQuery(ctx.db, { digest }),
    accountQuery(ctx.db, { digest }),
    configurationQuery(ctx.db, { digest, configurationId: configurationId ?? null }),
    ...queries,
  ]);
  const [[link], [account], [configuration]] = [links, owners, configurations];
  if (!link || !account || !configuration) return undefined;
  refuseCopy(ctx, account);
  if (account.isSuspended) throw suspended();
  const actor = { type: 'scanner_link', id: link.id, name: configuration.name } as const;
  const opened = {
    ctx: { ...actingFor(ctx, account), actor },
    link,
    configuration,
    isExpired: isExpired(link, Date.now()),
  };
  return { ...opened, ahead: read(results) };
}

/** A configuration that the holder of a link may change to. */
export type ConfigurationChoice = Pick<AppConfiguration, 'id' | 'name' | 'place'>;

/**
 * Returns all configurations of the account if the link allows changing, otherwise its own. Oldest first; one round
 * trip.
 */
export function configurationChoices({ ctx, link }: Pick<OpenedLink, 'ctx' | 'link'>): Promise<ConfigurationChoice[]> {
  return ctx.db
    .select({ id: appConfigurations.id, name: appConfigurations.name, place: appConfigurations.place })
    .from(appConfigurations)
    .where(
      and(
        eq(appConfigurations.accountId, ctx.account.id),
        isNull(appConfigurations.deletedAt),
        link.canChangeConfig ? undefined : eq(appConfigurations.id, link.configurationId),
      ),
    )
    .orderBy(appConfigurations.id);
}
