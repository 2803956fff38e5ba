import { and, eq, isNull, lte, or, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type BatchPart, EMPTY_PART } from '../../platform/batch-part.ts';
import { constantTimeEqual, sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import { Lru } from '../../platform/lru.ts';
import { prepareQuery } from '../../platform/prepared-query.ts';
import { shardOfAlphanumeric } from '../../platform/shard-tokens.ts';
import { withRetries } from '../../platform/transient-error.ts';
import { type Account, accounts } from '../accounts/table.ts';
import { type Context, type Owner, ownSession, queryPrimary, refuseCopy } from '../context.ts';
import { findInShard } from '../databases/follow-moves.ts';
import { DomainError } from '../errors.ts';
import { REQUEST_QUOTAS, type RequestQuotas } from '../quotas/take-request.ts';
import { suspended } from '../suspended.ts';
import { isAllowed, type KeyRights } from './rights.ts';
import { broaderScope, type Scope } from './scopes.ts';
import { type ApiKey, apiKeys } from './table.ts';

/** `pk_`, 16 characters that find the row, `_`, 43 secret characters. */
const KEY_PATTERN = /^pk_([A-Za-z0-9]{16})_([A-Za-z0-9_-]{43})$/;

/** Last use is accurate to a minute. */
const LAST_USED_GRAIN_MS = 60_000;

/** Compared when no row is found, so that an unknown key takes as long as a wrong secret. */
const NO_DIGEST = '0'.repeat(64);

const NO_KEY = { secretDigest: NO_DIGEST, previousDigest: null, previousUntil: null };

const LOOKUP = sql.placeholder('lookup');

const callerQuery = prepareQuery((db) =>
  db
    .select({
      apiKeyId: sql<string>`${apiKeys.id}`.as('api_key_id'),
      keyName: sql<string>`${apiKeys.name}`.as('key_name'),
      secretDigest: apiKeys.secretDigest,
      active: apiKeys.active,
      expiresAt: apiKeys.expiresAt,
      lastUsedAt: apiKeys.lastUsedAt,
      scopes: apiKeys.scopes,
      templateIds: apiKeys.templateIds,
      allowedIps: apiKeys.allowedIps,
      previousDigest: apiKeys.previousDigest,
      previousUntil: apiKeys.previousUntil,
      requestQuotas: REQUEST_QUOTAS.as('request_quotas'),
      account: accounts,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.lookup, LOOKUP)),
);

/** Values that a key in check is found by. Booleans are 0 or 1. */
export type KeyValues = {
  lookup: string;
  keyDigest: string;
  now: number;
  /** The needed scope in quotes, as in the JSON of the row; empty: none. */
  scope: string;
  /** The scope that includes the needed one, likewise. */
  broaderScope: string;
  isAccountWide: 0 | 1;
};

/**
 * Builds the condition of the key's row in queries that run with `authenticate`: they read nothing for a key that is
 * wrong, inactive, expired, without the scope or too restricted. Must admit every key that `authenticate`,
 * `requireScope` and `isGenuine` admit. Suspension and addresses would take more rows, and are only checked afterwards.
 */
function isKey(values: { [Name in keyof KeyValues]: KeyValues[Name] | Placeholder }): SQL {
  const { lookup, keyDigest, now, scope, broaderScope, isAccountWide } = values;
  const { active, expiresAt, secretDigest, previousDigest, previousUntil, scopes, templateIds } = apiKeys;
  return sql`${apiKeys.lookup} = ${lookup} and ${active} and (${expiresAt} is null or ${expiresAt} > ${now})
    and ${keyDigest} in (${secretDigest}, iif(${previousUntil} > ${now}, ${previousDigest}, null))
    and (instr(${scopes}, '"*"') or instr(${scopes}, ${scope}) or instr(${scopes}, ${broaderScope}))
    and (${templateIds} is null or not ${isAccountWide})`;
}

const IS_KEY = isKey({
  lookup: LOOKUP,
  keyDigest: sql.placeholder('keyDigest'),
  now: sql.placeholder('now'),
  scope: sql.placeholder('scope'),
  broaderScope: sql.placeholder('broaderScope'),
  isAccountWide: sql.placeholder('isAccountWide'),
});

/** SQL for the account of the key that placeholders (`KeyValues`) find, for queries that run with `authenticate`. */
export const ACCOUNT_OF_KEY = sql`(select ${apiKeys.accountId} from ${apiKeys} where ${IS_KEY})`;

/**
 * The key's row to join, for queries that name the account more than once: each `ACCOUNT_OF_KEY` reads the row again.
 */
export const ROW_OF_KEY = {
  table: apiKeys,
  isTarget: IS_KEY,
  account: sql`${apiKeys.accountId}`,
  /** JSON of the templates that the key is restricted to; null: all. */
  templateIds: sql`${apiKeys.templateIds}`,
};

/** Returns the digest of a key's secret, as stored in its row, or undefined if the text is not a key. */
export async function digestOfKey(key: string): Promise<string | undefined> {
  const secret = KEY_PATTERN.exec(key)?.[2];
  return secret && sha256(secret);
}

/** Time zones of the accounts of valid keys when this isolate last saw them, by lookup. */
const zonesSeen = new Lru<string>(10_000);

/** A key that is being checked. `ACCOUNT_OF_KEY` finds it by `values`. */
export interface KeyInCheck {
  db: Db;
  values: KeyValues;
  /** The last known time zone of the account: a guess that may be outdated. */
  timezoneSeen?: string;
}

/** Returns the account of a key in check, for finders that take an `Owner`. Each use of it reads the key's row. */
export function ownerOfKey({ db, values }: KeyInCheck): Owner {
  const ofRow = (column: SQLiteColumn, isRow: SQL): SQL => sql`(select ${column} from ${apiKeys} where ${isRow})`;
  // Each finder has the account in its condition. A statement takes at most 100 parameters, so the list has only one.
  const templateIds = ofRow(apiKeys.templateIds, eq(apiKeys.lookup, values.lookup));
  return { db, account: { id: ofRow(apiKeys.accountId, isKey(values)), templateIds } };
}

/** Returns the shard that a key names, or the first one if the text is not a key. */
export function shardOfKey(key: string): number {
  const lookup = KEY_PATTERN.exec(key)?.[1];
  return lookup === undefined ? 0 : shardOfAlphanumeric(lookup);
}

/** What a request needs of its key, as far as its route is known. */
export interface KeyNeeds {
  scope?: Scope;
  isAccountWide?: boolean;
}

/** An account and its key, and the results of the queries that ran with the check of the key. */
export interface Caller<T> {
  /** Context of the account's database. */
  ctx: Context;
  account: Account;
  apiKeyId: string;
  keyName: string;
  rights: KeyRights;
  /** Result of `digestOfKey`. */
  keyDigest: string;
  requestQuotas: RequestQuotas;
  ahead: T;
}

/**
 * Returns the account of an API key, or undefined. Throws `suspended`, and `forbidden` for an address not allowed. One
 * round trip to the primary, so that a deactivation takes effect at once; a key from before sharding may need two.
 * Queries of `readAhead` use `ACCOUNT_OF_KEY`. They read nothing for a key without `needs`, which the caller refuses.
 */
export async function authenticate<T = undefined>(
  ctx: Context,
  key: string,
  readAhead: (key: KeyInCheck) => BatchPart<T> = () => EMPTY_PART,
  needs: KeyNeeds = {},
): Promise<Caller<T> | undefined> {
  const [, lookup, secret] = KEY_PATTERN.exec(key) ?? [];
  if (!lookup || !secret) return undefined;
  // The statements and the checks below must agree on the time.
  const now = Date.now();
  const keyDigest = await sha256(secret);
  const values = valuesOf({ lookup, keyDigest, now }, needs);
  const find = async (home: Context) => {
    // A bookmark or a replica may show a state in which the key was still valid.
    return queryPrimary(home, async (db) => {
      const { queries, read } = readAhead({ db, values, timezoneSeen: zonesSeen.get(lookup) });
      const [[found], ...results] = await db.batch([callerQuery(db, { lookup }), ...queries]);
      if (found) refuseCopy(home, found.account);
      return found && { ...found, home, ahead: () => read(results) };
    });
  };
  const found =
    (await findInShard(ctx, { shard: shardOfKey(key), name: lookup }, find)) ?? (await findOlder(ctx, key, find));
  const isGood = isGenuine(keyDigest, found ?? NO_KEY, now);
  if (!found || !isGood) return undefined;
  const { home, account, apiKeyId, keyName, scopes, templateIds, allowedIps, expiresAt, ahead } = found;
  if (!found.active || (expiresAt !== null && expiresAt <= now)) return undefined;
  zonesSeen.set(lookup, account.timezone);
  if (account.isSuspended) throw suspended();
  // An unknown address is not on the list.
  if (allowedIps && !isAllowed(allowedIps, ctx.ip ?? '')) throw new DomainError('forbidden', 'address not allowed');
  if ((found.lastUsedAt ?? 0) <= now - LAST_USED_GRAIN_MS) {
    // A separate session: the caller does not wait for this write, and the request's metrics don't include it.
    const db = ownSession(home);
    ctx.waitUntil(withRetries(() => touchApiKey(db, apiKeyId, now, LAST_USED_GRAIN_MS)));
  }
  const requestQuotas = JSON.parse(found.requestQuotas) as RequestQuotas;
  const rights = { scopes, templateIds, allowedIps, expiresAt };
  return { ctx: home, account, apiKeyId, keyName, rights, keyDigest, requestQuotas, ahead: ahead() };
}

function valuesOf(key: Pick<KeyValues, 'lookup' | 'keyDigest' | 'now'>, needs: KeyNeeds): KeyValues {
  const { scope, isAccountWide } = needs;
  return {
    ...key,
    scope: scope ? `"${scope}"` : '',
    broaderScope: scope ? `"${broaderScope(scope)}"` : '',
    isAccountWide: isAccountWide ? 1 : 0,
  };
}

/** Always compares both digests of a key, so that the time reveals nothing. */
function isGenuine(
  digest: string,
  { secretDigest, previousDigest, previousUntil }: Pick<ApiKey, 'secretDigest' | 'previousDigest' | 'previousUntil'>,
  now: number,
): boolean {
  const isCurrent = constantTimeEqual(digest, secretDigest);
  const isPrevious = constantTimeEqual(digest, previousDigest ?? NO_DIGEST);
  return isCurrent || (isPrevious && previousUntil !== null && previousUntil > now);
}

/** Looks in the first shard, where keys from before sharding are, whatever shard their characters seem to name. */
function findOlder<T>(ctx: Context, key: string, find: (ctx: Context) => Promise<T | undefined>) {
  return shardOfKey(key) === 0 ? undefined : findInShard(ctx, { shard: 0, name: KEY_PATTERN.exec(key)?.[1] }, find);
}

/** Records that a key was used at `now`, unless another request did so less than `grainMs` before. */
export async function touchApiKey(db: Db, id: string, now: number, grainMs: number): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: now })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lte(apiKeys.lastUsedAt, now - grainMs))));
}
