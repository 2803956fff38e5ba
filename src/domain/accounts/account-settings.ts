import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import * as z from 'zod';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { EMAIL_HINT, URL_HINT } from '../fields.ts';
import { accountQuotas } from '../quotas/table.ts';
import { canSpanDatabases } from '../shard-map.ts';
import { checkImageAddresses, NewAccount } from './create-account.ts';
import { type Account, accounts, type Retention } from './table.ts';
import { updateAccount } from './update-account.ts';

const EmptyIsNull = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text));
/** As long as the URLs from which images are fetched. */
const URL_CHARS_MAX = 2_048;
const Address = EmptyIsNull.pipe(
  z
    .url({ protocol: /^https?$/, error: URL_HINT })
    .max(URL_CHARS_MAX)
    .nullable(),
);

const DAYS_MAX = 3_650;
const DAYS_HINT = `must be a whole number of days from 1 to ${DAYS_MAX}, or empty to keep everything`;

/** Number of days after which data is deleted; an empty text keeps it. */
export const RetentionDays = z
  .union([z.string(), z.number()])
  .transform((days) => (days === '' ? null : Number(days)))
  .pipe(z.int(DAYS_HINT).min(1, DAYS_HINT).max(DAYS_MAX, DAYS_HINT).nullable());

/** Retention that keeps everything. */
export const UNLIMITED_RETENTION: Retention = {
  expiredPassesDays: null,
  voidedPassesDays: null,
  scansDays: null,
  messagesDays: null,
};

/** Settings that an account's owner can change. An empty text removes an optional setting. */
const AccountSettings = z.object({
  name: NewAccount.shape.name,
  timezone: NewAccount.shape.timezone.unwrap(),
  language: NewAccount.shape.language.unwrap(),
  logoUrl: Address,
  iconUrl: Address,
  replyTo: EmptyIsNull.pipe(z.email(EMAIL_HINT).nullable()),
  userProvidedLinks: z.boolean(),
  requirePasskey: z.boolean(),
  retention: z
    .object({
      expiredPassesDays: RetentionDays,
      voidedPassesDays: RetentionDays,
      scansDays: RetentionDays,
      messagesDays: RetentionDays,
    })
    .optional(),
});

/**
 * Changes settings of the account. One round trip. Throws `invalid` with the field, including for an image URL that
 * this service wouldn't fetch.
 */
export async function changeAccountSettings(ctx: AccountContext, input: unknown): Promise<void> {
  const settings = checked(AccountSettings, input);
  checkImageAddresses(ctx, settings);
  await updateAccount(ctx, settings);
}

/** A sub-customer as its parent account sees it. */
export interface SubCustomer extends Pick<Account, 'id' | 'name' | 'isSuspended' | 'createdAt'> {
  /** Maximum number of its active passes; null: no quota of its own. */
  activePassesMax: number | null;
}

interface SubCustomerPage {
  limit: number;
  beforeId?: string;
}

/**
 * Returns the accounts that this one created, newest first, wherever they live; `beforeId` is the last one of the
 * previous page. One round trip, or one per database once accounts were moved.
 */
export async function listSubCustomers(ctx: AccountContext, page: SubCustomerPage): Promise<SubCustomer[]> {
  const lists = canSpanDatabases(ctx.env)
    ? await forEachDatabase(ctx, (there) => subCustomersIn(there, page))
    : [await subCustomersIn(ctx, page)];
  const newestFirst = lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  return newestFirst.slice(0, page.limit);
}

function subCustomersIn(ctx: AccountContext, { limit, beforeId }: SubCustomerPage): Promise<SubCustomer[]> {
  const { id, name, isSuspended, createdAt, parentAccountId } = accounts;
  const mine = and(eq(parentAccountId, ctx.account.id), isNull(accounts.livesIn));
  return ctx.db
    .select({ id, name, isSuspended, createdAt, activePassesMax: accountQuotas.max })
    .from(accounts)
    .leftJoin(accountQuotas, and(eq(accountQuotas.accountId, id), eq(accountQuotas.quota, 'activePasses')))
    .where(beforeId === undefined ? mine : and(mine, lt(id, beforeId)))
    .orderBy(desc(id))
    .limit(limit);
}
