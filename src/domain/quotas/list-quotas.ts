import { sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import type { AccountContext } from '../context.ts';
import { accountQuotas, type Quota } from './table.ts';
import { requestCounter } from './take-request.ts';
import { lineageOf, QUOTA_DEFAULTS, QUOTA_NAMES } from './use.ts';

/** A quota as it applies to the account. */
export interface QuotaView {
  quota: Quota;
  /** The lowest of its own and those of the accounts above it; null: no limit. */
  max: number | null;
  /** Use by the account and all below it; null if it is not counted. */
  used: number | null;
}

interface Row {
  accountId: string;
  quota: Quota;
  max: number | null;
  used: number;
  isOver: number;
}

const QUOTAS = Object.keys(QUOTA_NAMES) as Quota[];

/** Lists all quotas of the account with their use. One round trip, and one to the request counter if it counts. */
export async function listQuotas(ctx: AccountContext, now = Date.now()): Promise<QuotaView[]> {
  const lineage = lineageOf(ctx.account);
  const rows = await rawStatement<Row>(
    ctx.db,
    sql`select ${accountQuotas.accountId} as "accountId", quota, max, used,
        coalesce(period_ends_at between 0 and ${now}, 0) as "isOver" from ${accountQuotas}
      where ${accountQuotas.accountId} in (select value from json_each(${JSON.stringify(lineage)}))`,
  );
  return Promise.all(
    QUOTAS.map(async (quota) => {
      const ofQuota = new Map(rows.filter((row) => row.quota === quota).map((row) => [row.accountId, row]));
      const maxima = lineage.map((id) => maxOf(quota, ofQuota.get(id))).filter((max) => max !== null);
      const own = ofQuota.get(ctx.account.id);
      return { quota, max: maxima.length > 0 ? Math.min(...maxima) : null, used: await usedOf(ctx, quota, own) };
    }),
  );
}

function maxOf(quota: Quota, row: Row | undefined): number | null {
  if (row) return row.max;
  return quota in QUOTA_DEFAULTS ? QUOTA_DEFAULTS[quota as keyof typeof QUOTA_DEFAULTS] : null;
}

async function usedOf(ctx: AccountContext, quota: Quota, own: Row | undefined): Promise<number | null> {
  if (quota === 'requests') return own?.max != null ? (await requestCounter(ctx, ctx.account.id).peek()).used : null;
  if (!own) return quota === 'messages' || quota === 'subCustomers' ? 0 : null;
  return own.isOver ? 0 : own.used;
}
