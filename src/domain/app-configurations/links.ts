import { and, eq, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { constantTimeEqual, sha256 } from '../../platform/crypto.ts';
import { parseDateTime } from '../../platform/dates.ts';
import { randomUint32, shardOf } from '../../platform/ids.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { tokenIn } from '../../platform/shard-tokens.ts';
import { enterOnce } from '../audit/enter-once.ts';
import { recordAction } from '../audit/record-action.ts';
import type { AccountContext } from '../context.ts';
import { invalidField, notFound } from '../errors.ts';
import { NO_SUCH_DATE } from '../fields.ts';
import { PIN_LOCK_MINUTES, PIN_TRIES_MAX } from '../passes/page/pin.ts';
import { newId, writeOnce } from '../write-once.ts';
import { ownConfigurations } from './find-configuration.ts';
import { type LinkFacts, openSecrets, sealSecrets } from './link-secrets.ts';
import { isManageableLink, isOfManageable } from './restricted.ts';
import { type AppConfigurationLink, appConfigurationLinks, appConfigurations } from './table.ts';
import { hasLinkRoom, LINKS_LIMIT, refusal } from './write-configuration.ts';

/** Default number of days for which a link opens without its PIN. */
export const LINK_DAYS = 30;
const PIN_DIGITS = 6;

/** Input of a new link. */
export interface NewLink {
  canChangeConfig: boolean;
  /** `Y-m-d H:i` in the account's time zone; from then on the link requires its PIN. */
  validTo?: string;
}

/** Creates a link. One round trip. Throws not found, and `invalid` for a date that doesn't exist or a full account. */
export async function createLink(
  ctx: AccountContext,
  configurationId: string,
  { canChangeConfig, validTo }: NewLink,
): Promise<LinkFacts> {
  if (canChangeConfig && ctx.account.templateIds)
    throw invalidField('canChangeConfig', 'must be false, because your key is restricted to templates');
  const now = Date.now();
  const validToAt =
    validTo === undefined ? now + LINK_DAYS * 24 * 60 * 60_000 : parseDateTime(validTo, ctx.account.timezone);
  if (validToAt === undefined) throw invalidField('validTo', `${NO_SUCH_DATE}`);
  const id = newId(ctx, 'app-configuration-link');
  const secrets = { token: tokenIn(shardOf(ctx.account.id)), pin: randomPin() };
  const row = {
    id,
    accountId: ctx.account.id,
    configurationId,
    tokenDigest: await sha256(secrets.token),
    secrets: await sealSecrets(ctx, id, secrets),
    canChangeConfig,
    validToAt,
    pinFailures: 0,
    createdAt: now,
  };
  const room = hasLinkRoom(ctx);
  const isExisting = and(eq(appConfigurations.id, configurationId), ownConfigurations(ctx), room);
  const changes = [
    { field: 'canChangeConfig', new: canChangeConfig },
    { field: 'validTo', new: new Date(validToAt).toISOString() },
  ];
  const target = linkTarget(ctx, configurationId, id);
  const isTarget = isLink(ctx.account.id, id);
  const find = async () => {
    const [existing] = await ctx.db.select().from(appConfigurationLinks).where(isTarget);
    return existing && openSecrets(ctx, existing);
  };
  return writeOnce(ctx, find, async () => {
    const [[link]] = await ctx.db.batch([
      ctx.db
        .insert(appConfigurationLinks)
        .select(sql`select ${rowValues(appConfigurationLinks, row)} from ${appConfigurations} where ${isExisting}`)
        .returning(),
      recordAction(ctx, { action: 'app_configuration_link.create', target, changes }),
    ]);
    if (!link) throw await refusal(ctx, room, LINKS_LIMIT);
    return { link, ...secrets };
  });
}

function isLink(accountId: string, id: string): SQL {
  return and(eq(appConfigurationLinks.id, id), eq(appConfigurationLinks.accountId, accountId))!;
}

/** Returns the audit target of a link, with the name of its configuration. */
function linkTarget({ account }: Pick<AccountContext, 'account'>, configurationId: string, id: string) {
  const isTarget = and(eq(appConfigurations.id, configurationId), eq(appConfigurations.accountId, account.id));
  return {
    type: 'app_configuration_link',
    id,
    name: sql`(select ${appConfigurations.name} from ${appConfigurations} where ${isTarget})`,
  };
}

/** Returns six random digits, without bias. */
function randomPin(): string {
  const range = 10 ** PIN_DIGITS;
  const limit = 2 ** 32 - (2 ** 32 % range);
  for (;;) {
    const number = randomUint32();
    if (number < limit) return String(number % range).padStart(PIN_DIGITS, '0');
  }
}

/** Deletes a link: its URL opens nothing from then on. Throws not found. */
export async function deleteLink(ctx: AccountContext, configurationId: string, id: string): Promise<void> {
  const isTarget = and(
    isLink(ctx.account.id, id),
    eq(appConfigurationLinks.configurationId, configurationId),
    isOfManageable(ctx, configurationId),
    isManageableLink(ctx),
  );
  const target = linkTarget(ctx, configurationId, id);
  await enterOnce(ctx, `delete link ${id}`, async (entryId) => {
    const [deleted] = await ctx.db.batch([
      ctx.db.delete(appConfigurationLinks).where(isTarget).returning({ id: appConfigurationLinks.id }),
      recordAction(ctx, { id: entryId, action: 'app_configuration_link.end', target }),
    ]);
    if (deleted.length === 0) throw notFound();
  });
}

/**
 * Tries the PIN of a link, like that of a pass. Of simultaneous wrong PINs exactly five count; the fifth locks the link
 * for 15 minutes, even for the correct PIN. A correct PIN resets the count. A repeated request counts once. `now` is
 * UTC milliseconds. One round trip.
 */
export async function unlockLink(
  ctx: AccountContext,
  link: AppConfigurationLink,
  pin: string,
  now = Date.now(),
): Promise<'right' | 'wrong' | 'locked'> {
  const { pin: wanted } = await openSecrets(ctx, link);
  const isRight = constantTimeEqual(await sha256(pin.trim()), await sha256(wanted));
  const { pinFailures, pinLockedUntilAt } = appConfigurationLinks;
  // A lock at this point has expired, so the count restarts.
  const failures = sql`iif(${pinLockedUntilAt} is null, ${pinFailures}, 0) + 1`;
  const locked = sql`iif(${failures} >= ${PIN_TRIES_MAX}, ${now + PIN_LOCK_MINUTES * 60_000}, null)`;
  const action = isRight ? 'app_configuration_link.unlock' : 'app_configuration_link.unlock_failed';
  const isTarget = isLink(link.accountId, link.id);
  const target = linkTarget(ctx, link.configurationId, link.id);
  let counted: Pick<AppConfigurationLink, 'pinLockedUntilAt'> | undefined;
  let isKnown = false;
  await enterOnce(ctx, `PIN of link ${link.id}`, async (id) => {
    [[counted]] = await ctx.db.batch([
      ctx.db
        .update(appConfigurationLinks)
        .set(isRight ? { pinFailures: 0, pinLockedUntilAt: null } : { pinFailures: failures, pinLockedUntilAt: locked })
        .where(and(isTarget, or(isNull(pinLockedUntilAt), lte(pinLockedUntilAt, now))))
        .returning({ pinLockedUntilAt }),
      recordAction(ctx, { id, action, target }),
    ]);
    isKnown = true;
  });
  // A repeated request was counted before.
  if (!isKnown) [counted] = await ctx.db.select({ pinLockedUntilAt }).from(appConfigurationLinks).where(isTarget);
  const isLocked = !counted || (counted.pinLockedUntilAt ?? 0) > now;
  if (isLocked) return 'locked';
  return isRight ? 'right' : 'wrong';
}

/** Builds the statement that records the first use of a link. */
export function markUsed(ctx: AccountContext, linkId: string, condition: SQL = sql`true`) {
  return ctx.db
    .update(appConfigurationLinks)
    .set({ usedAt: Date.now() })
    .where(and(isLink(ctx.account.id, linkId), isNull(appConfigurationLinks.usedAt), condition));
}
