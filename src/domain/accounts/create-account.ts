import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { uuidv7 } from '../../platform/ids.ts';
import { rowValues } from '../../platform/insert-row.ts';
import { type CreatedApiKey, newApiKey } from '../api-keys/create-api-key.ts';
import { checked } from '../check.ts';
import type { Context } from '../context.ts';
import { TimeZone, Title } from '../fields.ts';
import { type Account, accountContacts, accounts, type Contact } from './table.ts';

/** What a new account needs; the defaults are those of decisions §1 ("Dates") and §2. */
export const NewAccount = z.object({
  name: Title,
  timezone: TimeZone.default('UTC'),
  language: z.enum(['de', 'en']).default('en'),
  logoUrl: z.string().nullish(),
  iconUrl: z.string().nullish(),
  /** The account that creates this one as its sub-customer. */
  parentAccountId: z.string().nullish(),
  maxActivePasses: z.number().int().min(0).nullish(),
});
export type NewAccount = z.input<typeof NewAccount>;

export interface CreatedAccount extends CreatedApiKey {
  account: Account;
}

/** Creates an account with its first API key and what is known of its contact, all or nothing. The key's value is in the reply only. Throws `invalid`. */
export async function createAccount(ctx: Context, input: NewAccount, contact?: Contact): Promise<CreatedAccount> {
  const fields = checked(NewAccount, input);
  const now = Date.now();
  const account: Account = {
    id: uuidv7(0, now),
    name: fields.name,
    timezone: fields.timezone,
    language: fields.language,
    logoUrl: fields.logoUrl ?? null,
    iconUrl: fields.iconUrl ?? null,
    userProvidedLinks: true,
    replyTo: null,
    parentAccountId: fields.parentAccountId ?? null,
    ancestorIds: [],
    maxActivePasses: fields.maxActivePasses ?? null,
    suspendedAt: null,
    isSuspended: false,
    hasWebhooks: false,
    createdAt: now,
  };
  const key = await newApiKey(ctx.db, account.id, 'Default');
  const [[stored]] = await ctx.db.batch([
    ctx.db
      .insert(accounts)
      .select(
        sql`select ${rowValues(accounts, account, account.parentAccountId ? inherited(account.parentAccountId) : {})}`,
      )
      .returning(),
    key.insert,
    ...(contact ? [ctx.db.insert(accountContacts).values({ accountId: account.id, contact })] : []),
  ]);
  return { account: stored!, apiKey: key.apiKey, apiKeyId: key.apiKeyId };
}

/** What a sub-customer has from the account above it, as that stands when the batch runs: it may have been suspended in this very moment. */
function inherited(parentAccountId: string) {
  const ofParent = (value: SQL) =>
    sql`(select ${value} from ${accounts} as parent where parent.id = ${parentAccountId})`;
  return {
    ancestorIds: sql`coalesce(${ofParent(sql`json_insert(parent.ancestor_ids, '$[#]', parent.id)`)}, '[]')`,
    isSuspended: sql`coalesce(${ofParent(sql`parent.is_suspended`)}, 0)`,
  };
}
