import { eq, type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { Account } from '../accounts/table.ts';
import type { AccountContext, OwnerContext } from '../context.ts';
import { DomainError } from '../errors.ts';
import { accountQuotas, type Quota } from './table.ts';

/** Names of quotas in replies, pages and mails. */
export const QUOTA_NAMES: Record<Quota, string> = {
  passes: 'passes',
  activePasses: 'active passes',
  messages: 'messages',
  requests: 'requests',
  subCustomers: 'sub-customers',
};

/** Quotas of accounts for which none is set; a quota that is not listed here has no default. */
export const QUOTA_DEFAULTS = { messages: 1_000, requests: 3_000, subCustomers: 100 } satisfies Partial<
  Record<Quota, number>
>;

/** Beginning of a statement that inserts rows of quotas. */
export const INTO_QUOTAS = sql`insert into ${accountQuotas} (account_id, quota, max, used, period_ends_at, told_percent, tell_at)`;

/** Shares of a quota, in percent, at which the owners are notified. */
export const NOTICE_PERCENT = { early: 80, full: 100 };

/** Returns the error for exceeding a quota. */
export function quotaExceeded(quota: Quota): DomainError {
  return new DomainError('forbidden', `quota exceeded: ${QUOTA_NAMES[quota]}`);
}

/** Returns the account and those above it: its use counts for each of them. */
export function lineageOf({ id, ancestorIds }: Pick<Account, 'id' | 'ancestorIds'>): string[] {
  // A process may have begun before accounts stored who is above them.
  return [id, ...(ancestorIds ?? [])];
}

function isOf(quota: Quota, lineage: string[]): SQL {
  const { accountId } = accountQuotas;
  const isNamed =
    lineage.length === 1
      ? eq(accountId, lineage[0]!)
      : sql`${accountId} in (select value from json_each(${JSON.stringify(lineage)}))`;
  return sql`${isNamed} and ${accountQuotas.quota} = ${sql.raw(`'${quota}'`)}`;
}

/** Returns SQL that is true if neither the account nor one above it has used up a quota. Reads a row per quota. */
export function hasRoom({ account }: AccountContext, quota: Quota): SQL {
  return sql`not exists (select 1 from ${accountQuotas}
    where ${isOf(quota, lineageOf(account))} and ${accountQuotas.used} >= ${accountQuotas.max})`;
}

/** Returns SQL for what is left of a quota of the account and those above it; null if there is none. */
export function leftOf({ account }: AccountContext, quota: Quota): SQL {
  return sql`select min(${accountQuotas.max} - ${accountQuotas.used}) from ${accountQuotas}
    where ${isOf(quota, lineageOf(account))}`;
}

/**
 * Builds the statement that adds to the use of a quota, for the batch of the change. `by` is SQL for a number, negative
 * for a removal, and is evaluated only if somebody counts. It writes a row for each account that has the quota,
 * otherwise none.
 */
export function countUse(ctx: OwnerContext, quota: Quota, by: SQL) {
  const now = Date.now();
  return rawStatement(
    ctx.db,
    sql`update ${accountQuotas} set (used, told_percent, tell_at) = (
        select counted.used, ${notifiedPercent(sql`counted.used`, sql`max`, sql`told_percent`)},
          iif(${levelOf(sql`counted.used`, sql`max`)} > told_percent, ${now}, tell_at)
        from (select max(0, ${accountQuotas.used} + (${by})) as used) as counted)
      where ${isOf(quota, lineageOf(ctx.account))}`,
  );
}

/** Returns SQL for the highest share with a notification that a use has reached. */
export function levelOf(used: SQL, max: SQL): SQL {
  const { early, full } = NOTICE_PERCENT;
  return sql`case when ${used} >= ${max} then ${sql.raw(String(full))}
    when ${used} * 100 >= ${max} * ${sql.raw(String(early))} then ${sql.raw(String(early))} else 0 end`;
}

/** Returns SQL for the highest notified share at a use of `used`; it starts over below half of the quota. */
function notifiedPercent(used: SQL, max: SQL, notified: SQL): SQL {
  return sql`case when ${used} * 2 < ${max} then 0 else max(${notified}, ${levelOf(used, max)}) end`;
}

const ANY_NUMBER = Number.MAX_SAFE_INTEGER;
/** A day has at most 25 hours. */
const DAY_MS_MAX = 25 * 60 * 60_000;

const MAX = sql.raw(String(QUOTA_DEFAULTS.messages));

/** Returns SQL that is true if the day of a row is over: its end has passed or, if not yet known, must have passed. */
function isOver(now: number): SQL {
  const { periodEndsAt } = accountQuotas;
  return sql`iif(${periodEndsAt} < 0, ${now} + ${periodEndsAt} > ${sql.raw(String(DAY_MS_MAX))}, ${periodEndsAt} <= ${now})`;
}

/** Returns SQL for the messages that the account may still request today: the least that it and those above it may. */
export function messagesLeft({ account }: AccountContext, now = Date.now()): SQL<number> {
  const { accountId, quota, max, used } = accountQuotas;
  const ofRow = sql`iif(${max} is null, ${sql.raw(String(ANY_NUMBER))}, ${max} - iif(${isOver(now)}, 0, ${used}))`;
  return sql`(select min(iif(${accountId} is null, ${MAX}, ${ofRow})) from json_each(${JSON.stringify(lineageOf(account))}) as line
    left join ${accountQuotas} on ${accountId} = line.value and ${quota} = 'messages')`;
}

/** Counts messages for the account and those above it, after the statement that stores `asked` (SQL) of them. */
export function countMessages(ctx: AccountContext, asked: SQL, now = Date.now()) {
  const { max, used, periodEndsAt, notifiedPercent, notifyAt } = accountQuotas;
  const over = isOver(now);
  const next = sql`iif(${over}, 0, ${used}) + excluded.used`;
  const notified = sql`iif(${over}, 0, ${notifiedPercent})`;
  const level = levelOf(next, sql`${max}`);
  const first = levelOf(sql`asked.number`, MAX);
  return rawStatement(
    ctx.db,
    sql`${INTO_QUOTAS}
      select line.value, 'messages', ${MAX}, asked.number, ${-now}, ${first}, iif(${first} > 0, ${now}, null)
      from (select (${asked}) as number) as asked cross join json_each(${JSON.stringify(lineageOf(ctx.account))}) as line
      where asked.number > 0
      on conflict (account_id, quota) do update set used = ${next},
        period_ends_at = iif(${over}, ${-now}, ${periodEndsAt}),
        told_percent = max(${notified}, ${level}), tell_at = iif(${level} > ${notified}, ${now}, ${notifyAt})`,
  );
}
