import { sql } from 'drizzle-orm';
import { describeError, logLine } from '../../platform/log.ts';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import { type AccountContext, type Context, ownSession } from '../context.ts';
import type { CountedRequest, RequestCounterObject } from './request-counter-object.ts';
import { accountQuotas } from './table.ts';
import { INTO_QUOTAS, levelOf, lineageOf, QUOTA_DEFAULTS } from './use.ts';

/** Period of the Rate Limiting binding, and so of the quota. */
const PERIOD_S = 60;

/** Request quotas that were set, by account; null: no limit. */
export type RequestQuotas = Record<string, number | null>;

/** SQL for `RequestQuotas` as JSON, of the account and those above it. Reads no row without such quotas. */
export const REQUEST_QUOTAS = sql<string>`(select json_group_object(found.account_id, found.max) from (
  select own.account_id, own.max from ${accountQuotas} as own where own.account_id = ${accounts.id} and own.quota = 'requests'
  union all select above.account_id, above.max from json_each(${accounts.ancestorIds}) as line
  cross join ${accountQuotas} as above on above.account_id = line.value and above.quota = 'requests') as found)`;

/** Counts a request. Returns the seconds to wait before another one; 0: within all quotas. No round trip to D1. */
export async function takeRequest(ctx: AccountContext, quotas: RequestQuotas): Promise<number> {
  const waits = await Promise.all(lineageOf(ctx.account).map((id) => takeFrom(ctx, id, quotas[id])));
  return Math.max(...waits);
}

/** An undefined `max` is the default, which the binding knows. */
async function takeFrom(ctx: AccountContext, accountId: string, max: number | null | undefined): Promise<number> {
  if (max === null) return 0;
  if (max !== undefined) return takeCounted(ctx, accountId, max);
  const taken = await ctx.env.ACCOUNT_RATE_LIMITER?.limit({ key: accountId });
  if (!taken || taken.success) return 0;
  ctx.waitUntil(noteUse(ctx, accountId, QUOTA_DEFAULTS.requests));
  return PERIOD_S;
}

async function takeCounted(ctx: AccountContext, accountId: string, max: number): Promise<number> {
  const counted = await countRequest(ctx, accountId, max);
  if (!counted) return 0;
  const { isAllowed, used, retryAfterSeconds } = counted;
  const isReportable = !isAllowed || used === max || used === Math.ceil(max * 0.8);
  if (isReportable) ctx.waitUntil(noteUse(ctx, accountId, used));
  return isAllowed ? 0 : retryAfterSeconds;
}

/** Returns undefined if the counter is unreachable, which is no reason to reject a request. */
async function countRequest(ctx: AccountContext, accountId: string, max: number): Promise<CountedRequest | undefined> {
  try {
    return await requestCounter(ctx, accountId).take(max);
  } catch (error) {
    logFailure(ctx, accountId, error);
    return undefined;
  }
}

function logFailure({ requestId }: Context, account: string, error: unknown): void {
  logLine('error', { event: 'request-quota', requestId, account, error: describeError(error) });
}

/** Returns the request counter of an account. */
export function requestCounter({ env }: Context, accountId: string): DurableObjectStub<RequestCounterObject> {
  const objects = env.REQUEST_COUNTERS as DurableObjectNamespace<RequestCounterObject>;
  return objects.get(objects.idFromName(accountId));
}

/** When this isolate last recorded a use, by account and use: repeated rejections are recorded once a minute. */
const noted = new Map<string, number>();
const NOTED_MAX = 1_000;

/** Records a use, so that owners are notified of each share once a day. From then on, each request is counted. */
async function noteUse(ctx: Context, accountId: string, used: number): Promise<void> {
  const now = Date.now();
  const name = `${accountId} ${used}`;
  if ((noted.get(name) ?? 0) > now - PERIOD_S * 1_000) return;
  if (noted.size >= NOTED_MAX) noted.clear();
  noted.set(name, now);
  const { max, periodEndsAt, notifiedPercent, notifyAt } = accountQuotas;
  const isOver = sql`(${periodEndsAt} between 0 and ${now})`;
  const notified = sql`iif(${isOver}, 0, ${notifiedPercent})`;
  const level = levelOf(sql`${used}`, sql`${max}`);
  const db = ownSession(ctx);
  try {
    await rawStatement(
      db,
      sql`${INTO_QUOTAS}
        values (${accountId}, 'requests', ${QUOTA_DEFAULTS.requests}, ${used}, ${-now}, 100, ${now})
        on conflict (account_id, quota) do update set used = excluded.used, period_ends_at = iif(${isOver}, ${-now}, ${periodEndsAt}),
          told_percent = max(${notified}, ${level}), tell_at = iif(${level} > ${notified}, ${now}, ${notifyAt})
        where ${level} > ${notified}`,
    );
  } catch (error) {
    logFailure(ctx, accountId, error);
  }
}
