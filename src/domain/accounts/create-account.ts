import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import * as z from 'zod';
import { shardOf } from '../../platform/ids.ts';
import { areLocalTargetsAllowed, checkOutboundUrl } from '../../platform/outbound.ts';
import { rowValues } from '../../platform/raw-statement.ts';
import { type CreatedApiKey, newApiKey, replaceUnusedKey } from '../api-keys/create-api-key.ts';
import { recordAction } from '../audit/record-action.ts';
import { checked } from '../check.ts';
import { type AccountContext, type Actor, type Context, inShard } from '../context.ts';
import { chooseShard } from '../databases/choose-database.ts';
import { forEachDatabase } from '../databases/list-databases.ts';
import { invalidField } from '../errors.ts';
import { TimeZone, Title } from '../fields.ts';
import { beginCountingSubCustomers, firstQuota } from '../quotas/set-quotas.ts';
import { countUse, hasRoom, quotaExceeded } from '../quotas/use.ts';
import { DIRECTORY, placesOfShard, shardOfDatabase } from '../shard-map.ts';
import { newIdIn, writeOnce } from '../write-once.ts';
import { type Account, accountContacts, accounts, type Contact } from './table.ts';

/** Returns the shard of an account, or that of the database to which the account was moved on its own. */
function shardBeside(ctx: AccountContext): number {
  const { env, account, database = DIRECTORY } = ctx;
  const own = shardOf(account.id);
  return placesOfShard(env, own)[0] === database ? own : shardOfDatabase(database)!;
}

/** Languages that an account can have: those of the service's own texts for holders. */
export const ACCOUNT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl'] as const;

/** Input of a new account. */
export const NewAccount = z.object({
  name: Title,
  timezone: TimeZone.default('UTC'),
  language: z.enum(ACCOUNT_LANGUAGES).default('en'),
  logoUrl: z.string().nullish(),
  iconUrl: z.string().nullish(),
  /** Account that creates this one as its sub-customer. */
  parentAccountId: z.string().nullish(),
  maxActivePasses: z.number().int().min(0).nullish(),
});
export type NewAccount = z.input<typeof NewAccount>;

interface CreatedAccount extends CreatedApiKey {
  account: Account;
}

interface AccountDetails {
  contact?: Contact;
  /** Context of the parent account, whose quota counts it. */
  parent?: AccountContext;
  /** Name of its database; absent: the one with the most room. */
  database?: string;
}

/**
 * Creates an account with its first API key and contact, all or nothing. The value of the key is only in the result.
 * Throws `invalid`, and `forbidden` if the quota of sub-customers is used up.
 */
export async function createAccount(
  origin: Context,
  input: NewAccount,
  { contact, parent, database }: AccountDetails = {},
): Promise<CreatedAccount> {
  const fields = checked(NewAccount, input);
  const earlier = parent ? undefined : await findEarlier(origin);
  if (earlier) return earlier;
  // In the parent's shard, so that one statement counts the quotas of both.
  const shard = parent ? shardBeside(parent) : await chooseShard(origin, database);
  const ctx = parent ? origin : inShard(origin, shard);
  const account = newAccount(newIdIn(ctx, shard, 'account'), fields);
  const keyId = newIdIn(ctx, shard, 'account-key');
  return writeOnce(
    ctx,
    () => findCreated(ctx, account, keyId),
    async () => {
      const row = rowValues(accounts, account, account.parentAccountId ? inherited(account.parentAccountId) : {});
      const exists = sql`exists (select 1 from ${accounts} where ${eq(accounts.id, account.id)})`;
      const key = await newApiKey(ctx.db, account.id, 'Default', {
        id: keyId,
        actor: parent ? PARENT : ctx.actor,
        condition: exists,
      });
      const insert = ctx.db
        .insert(accounts)
        .select(sql`select ${row} where ${parent ? canCreate(parent) : sql`true`}`)
        .returning();
      const created = {
        action: 'account.create',
        target: { type: 'account', id: account.id, name: account.name },
      } as const;
      const { maxActivePasses } = fields;
      const statements: BatchItem<'sqlite'>[] = [
        ...(parent ? [beginCountingSubCustomers(parent)] : []),
        insert,
        key.insert,
        ...(contact
          ? [
              ctx.db
                .insert(accountContacts)
                .select(sql`select ${rowValues(accountContacts, { accountId: account.id, contact })} where ${exists}`),
            ]
          : []),
        ...(maxActivePasses == null ? [] : [firstQuota(ctx, account.id, 'activePasses', maxActivePasses, exists)]),
        ...(parent ? [countUse(parent, 'subCustomers', exists)] : []),
        recordAction(parent ?? { ...ctx, account }, created, exists),
      ];
      const results: unknown[] = await ctx.db.batch(statements as [BatchItem<'sqlite'>]);
      const [stored] = results[statements.indexOf(insert)] as Account[];
      if (!stored) throw quotaExceeded('subCustomers');
      return { account: stored, apiKey: key.apiKey, apiKeyId: key.apiKeyId };
    },
  );
}

/** Creator of a sub-customer's key. The sub-customer doesn't learn names from the parent account. */
const PARENT = { type: 'api_key', id: null, name: 'parent account' } satisfies Actor;

/** Returns the account that an earlier request with the key created, in the database that had the most room then. */
async function findEarlier(origin: Context): Promise<CreatedAccount | undefined> {
  if (!origin.repeatable?.isRepeat) return undefined;
  const found = await forEachDatabase(origin, (there, { name }) => {
    const shard = shardOfDatabase(name)!;
    const account = { id: newIdIn(origin, shard, 'account'), parentAccountId: null };
    return findCreated(there, account, newIdIn(origin, shard, 'account-key'));
  });
  return found.find((one) => one !== undefined);
}

/** Returns the account if it already exists, with a new API key value: only the digest of the old one is stored. */
async function findCreated(
  { db }: Context,
  { id, parentAccountId }: Pick<Account, 'id' | 'parentAccountId'>,
  apiKeyId: string,
): Promise<CreatedAccount | undefined> {
  const isTarget = and(eq(accounts.id, id), sql`${accounts.parentAccountId} is ${parentAccountId}`);
  const [account] = await db.select().from(accounts).where(isTarget);
  return account && { account, apiKeyId, apiKey: await replaceUnusedKey(db, id, apiKeyId) };
}

/** The parent may be deleted at this moment, and its sub-customers with it. */
function canCreate(parent: AccountContext): SQL {
  return sql`${hasRoom(parent, 'subCustomers')} and exists (select 1 from ${accounts} where ${eq(accounts.id, parent.account.id)})`;
}

/** Returns the row of a new account. */
export function newAccount(id: string, fields: z.output<typeof NewAccount>): Account {
  const now = Date.now();
  return {
    id,
    name: fields.name,
    timezone: fields.timezone,
    language: fields.language,
    logoUrl: fields.logoUrl ?? null,
    iconUrl: fields.iconUrl ?? null,
    userProvidedLinks: true,
    requirePasskey: false,
    replyTo: null,
    parentAccountId: fields.parentAccountId ?? null,
    ancestorIds: [],
    maxActivePasses: null,
    suspendedAt: null,
    isSuspended: false,
    hasWebhooks: false,
    livesIn: null,
    retention: null,
    retentionDueAt: null,
    createdAt: now,
  };
}

/** Values that a sub-customer takes from its parent when the batch runs: the parent may be suspended at this moment. */
function inherited(parentAccountId: string) {
  const ofParent = (value: SQL) =>
    sql`(select ${value} from ${accounts} as parent where parent.id = ${parentAccountId})`;
  return {
    ancestorIds: sql`coalesce(${ofParent(sql`json_insert(parent.ancestor_ids, '$[#]', parent.id)`)}, '[]')`,
    isSuspended: sql`coalesce(${ofParent(sql`parent.is_suspended`)}, 0)`,
  };
}

interface NewSubCustomer extends Pick<NewAccount, 'name' | 'language' | 'logoUrl' | 'iconUrl' | 'maxActivePasses'> {
  contact: Contact;
}

/**
 * Creates a sub-customer of the caller's account with an active API key. One round trip. Throws `invalid` with the
 * field, including for a logo or icon URL that this service wouldn't fetch, and `forbidden` if the quota of
 * sub-customers is used up.
 */
export async function createSubCustomer(
  ctx: AccountContext,
  { contact, ...fields }: NewSubCustomer,
): Promise<CreatedAccount> {
  checkImageAddresses(ctx, fields);
  return createAccount(ctx, { ...fields, parentAccountId: ctx.account.id }, { contact, parent: ctx });
}

/** Throws `invalid` with the field for a URL that this service wouldn't fetch. */
export function checkImageAddresses(ctx: Context, fields: Pick<NewAccount, 'logoUrl' | 'iconUrl'>): void {
  const allowLocal = areLocalTargetsAllowed(ctx.env);
  for (const name of ['logoUrl', 'iconUrl'] as const) {
    const problem = fields[name] ? checkOutboundUrl(fields[name], { allowLocal }) : undefined;
    if (problem) throw invalidField(name, problem.message);
  }
}
