import { and, asc, desc, eq, isNotNull, lt, ne, or, sql } from 'drizzle-orm';
import { apiKeys } from '../api-keys/table.ts';
import { certificates } from '../certificates/table.ts';
import type { AccountContext } from '../context.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { processes } from '../processes/table.ts';
import { activePassesQuery, countsQuery, type HourlyCount, passTotalQuery } from '../statistics/get-statistics.ts';
import { templates } from '../templates/table.ts';
import { webhookSubscriptions } from '../webhooks/table.ts';

/** Days before its expiry that a certificate should be renewed. */
export const EXPIRY_WARNING_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** Items listed per kind; their section has the others. */
export const NAMED_MAX = 5;
/** Processes to check for running ones: those that began last. */
const PROCESSES_LOOKED_AT = 50;
/** Limit of counted failed jobs; the overview reads one more to show that there are others. */
export const FAILED_JOBS_COUNTED_MAX = 99;

/** What an owner wants to see first. Each list has at most `NAMED_MAX` items, and one more if there are others. */
export interface Overview {
  passes: number;
  activePasses: number;
  /** Hourly counts of the requested metrics. */
  counts: HourlyCount[];
  /** Newest first. */
  templates: { id: string; name: string; passCount: number }[];
  hasApiKey: boolean;
  /** Certificates whose pass type has none that is valid for longer. */
  expiring: { id: string; passTypeId: string; validTo: number }[];
  /** Webhooks that are not active, or whose receiver fails. */
  webhooks: { id: string; event: string; status: string; targetUrl: string | null }[];
  running: { id: string; current: number; total: number }[];
  /** Failed jobs; at most one more than `FAILED_JOBS_COUNTED_MAX`. */
  failedJobs: number;
}

/** Reads the overview in one round trip; `metrics` from `from` to `now`, UTC milliseconds. */
export async function getOverview(
  ctx: AccountContext,
  { metrics, from, now }: { metrics: string[]; from: number; now: number },
): Promise<Overview> {
  const [counts, [total], [active], newest, keys, expiring, webhooks, begun, failed] = await ctx.db.batch([
    countsQuery(ctx, metrics, from, now),
    passTotalQuery(ctx),
    activePassesQuery(ctx),
    newestTemplates(ctx),
    ctx.db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.accountId, ctx.account.id)).limit(1),
    expiringCertificates(ctx, now),
    troubledSubscriptions(ctx),
    lastProcesses(ctx),
    failedJobs(ctx),
  ]);
  return {
    passes: total?.passes ?? 0,
    activePasses: active?.active ?? 0,
    counts,
    templates: newest,
    hasApiKey: keys.length > 0,
    expiring,
    webhooks,
    running: begun.filter(({ finishedAt }) => finishedAt === null).slice(0, NAMED_MAX + 1),
    failedJobs: failed.length,
  };
}

function newestTemplates(ctx: AccountContext) {
  const { id, name, passCount, accountId } = templates;
  return ctx.db
    .select({ id, name, passCount })
    .from(templates)
    .where(eq(accountId, ctx.account.id))
    .orderBy(desc(id))
    .limit(NAMED_MAX + 1);
}

/** Skips certificates that a renewed one has replaced: they need no attention. */
function expiringCertificates(ctx: AccountContext, now: number) {
  const soon = now + EXPIRY_WARNING_DAYS * DAY_MS;
  const { id, passTypeId, validTo, accountId } = certificates;
  const renewed = sql`exists (select 1 from ${certificates} as newer where newer.account_id = ${ctx.account.id}
    and newer.pass_type_id = ${passTypeId} and newer.valid_to > ${validTo})`;
  return ctx.db
    .select({ id, passTypeId, validTo })
    .from(certificates)
    .where(and(eq(accountId, ctx.account.id), lt(validTo, soon), sql`not ${renewed}`))
    .orderBy(asc(validTo))
    .limit(NAMED_MAX + 1);
}

function troubledSubscriptions(ctx: AccountContext) {
  const { id, event, status, targetUrl, failingSinceAt, accountId } = webhookSubscriptions;
  return ctx.db
    .select({ id, event, status, targetUrl })
    .from(webhookSubscriptions)
    .where(and(eq(accountId, ctx.account.id), or(ne(status, 'active'), isNotNull(failingSinceAt))))
    .limit(NAMED_MAX + 1);
}

function lastProcesses(ctx: AccountContext) {
  const { id, current, total, finishedAt, accountId } = processes;
  return ctx.db
    .select({ id, current, total, finishedAt })
    .from(processes)
    .where(eq(accountId, ctx.account.id))
    .orderBy(desc(id))
    .limit(PROCESSES_LOOKED_AT);
}

function failedJobs(ctx: AccountContext) {
  return ctx.db
    .select({ id: deadLetters.id })
    .from(deadLetters)
    .where(eq(deadLetters.accountId, ctx.account.id))
    .limit(FAILED_JOBS_COUNTED_MAX + 1);
}
