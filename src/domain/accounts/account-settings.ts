import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import * as z from 'zod';
import { checked } from '../check.ts';
import type { AccountContext } from '../context.ts';
import { inEachDatabase } from '../databases/list-databases.ts';
import { EMAIL_HINT, URL_HINT } from '../fields.ts';
import { accountQuotas } from '../quotas/table.ts';
import { mayLiveApart } from '../shard-map.ts';
import { checkImageAddresses, NewAccount } from './create-account.ts';
import { type Account, accounts, type Retention } from './table.ts';
import { updateAccount } from './update-account.ts';

const EmptyIsNull = z
  .string()
  .trim()
  .transform((text) => (text === '' ? null : text));
/** As long as an address that fetches images. */
const URL_CHARS_MAX = 2_048;
const Address = EmptyIsNull.pipe(
  z
    .url({ protocol: /^https?$/, error: URL_HINT })
    .max(URL_CHARS_MAX)
    .nullable(),
);

const DAYS_MAX = 3_650;
const DAYS_HINT = `must be a whole number of days from 1 to ${DAYS_MAX}, or empty to keep everything`;

/** A number of days after which something is deleted; an empty text keeps it. */
export const RetentionDays = z
  .union([z.string(), z.number()])
  .transform((days) => (days === '' ? null : Number(days)))
  .pipe(z.int(DAYS_HINT).min(1, DAYS_HINT).max(DAYS_MAX, DAYS_HINT).nullable());

/** What keeps everything. */
export const KEEPS_ALL: Retention = {
  expiredPassesDays: null,
  voidedPassesDays: null,
  scansDays: null,
  messagesDays: null,
};

/** What the holder of an account sets; empty texts take away what is optional. */
export const AccountSettings = z.object({
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
export type AccountSettings = z.input<typeof AccountSettings>;

/** One round trip. Throws `invalid` naming the field, also for an address that this service would not fetch. */
export async function changeAccountSettings(ctx: AccountContext, input: unknown): Promise<void> {
  const settings = checked(AccountSettings, input);
  checkImageAddresses(ctx, settings);
  await updateAccount(ctx, settings);
}

/** A sub-customer as the account above it sees it. */
export interface SubCustomer extends Pick<Account, 'id' | 'name' | 'isSuspended' | 'createdAt'> {
  /** How many of its passes may be on devices at a time; null: its own quotas leave that open. */
  activePassesMax: number | null;
}

interface SubCustomerPage {
  limit: number;
  beforeId?: string;
}

/**
 * The accounts that this one has made, newest first, wherever they live; `beforeId` names the last one of the page
 * before. One round trip, or one for each database once accounts were moved.
 */
export async function listSubCustomers(ctx: AccountContext, page: SubCustomerPage): Promise<SubCustomer[]> {
  const lists = mayLiveApart(ctx.env)
    ? await inEachDatabase(ctx, (there) => subCustomersIn(there, page))
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
