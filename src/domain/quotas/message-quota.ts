import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { accountQuotas } from './table.ts';
import { INTO_QUOTAS, levelOf, lineageOf, QUOTA_DEFAULTS } from './use.ts';

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
