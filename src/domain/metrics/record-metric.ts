import { devMetrics } from '../../dev/metrics.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';

/** Beginning of the routes that Apple Wallet calls. */
const PHONES = '/wallet/apple/';

/** Phones ask after each push, so data points of all their successful requests would cost more than they tell. */
export const PHONE_REQUESTS_PER_POINT = 20;

/** Returns for how many requests a data point of this one stands. */
export function requestsPerPoint(route: string, status: number): number {
  return route.startsWith(PHONES) && status < 400 ? PHONE_REQUESTS_PER_POINT : 1;
}

/** Kinds of data points. docs/operations.md describes them, and the columns that they share. */
type MetricKind = 'request' | 'job' | 'task' | 'push' | 'gauge';

/** One data point: an operation, its outcome and its cost. Never the name of a person, an address or a secret. */
export interface Metric {
  kind: MetricKind;
  /** Pattern of the route, type of the job, name of the task, wallet or gauge. */
  name: string;
  /** HTTP status, or another outcome. */
  outcome?: string | number;
  /** HTTP method. */
  method?: string;
  /** The account that the work was for, if it was one. */
  accountId?: string | null;
  durationMs?: number;
  roundTrips?: number;
  rowsRead?: number;
  rowsWritten?: number;
  /** Number of items, 1 by default; the value of a gauge. */
  value?: number;
  /** Milliseconds that it waited, or is late. */
  ageMs?: number;
  /** Number of attempts, including this one. */
  attempt?: number;
  /** Further columns of a job: see `outcomes.ts`. */
  figures?: number[];
  /** In a deployment, one of so many points is written, chosen at random. Its `value` says that it stands for them. */
  oneIn?: number;
}

/** The index of a data point has at most 96 bytes (Cloudflare, Analytics Engine "Limits"). */
const INDEX_CHARS_MAX = 96;
const OUTSIDE_ASCII = /[^ -~]/g;

/**
 * Writes a data point to Analytics Engine, or to a table of a local service. The caller does not wait for it, and
 * without the binding it does nothing. An invocation may write 250: a request and a job write one, a batch of a queue
 * mostly some dozens (see `outcomes.ts`), the cron one for each task and gauge.
 */
export function recordMetric(ctx: Context, metric: Metric): void {
  const { METRICS } = ctx.env;
  if (!METRICS) return;
  try {
    const local = devMetrics(ctx);
    const { value = 1, oneIn = 1, ...rest } = metric;
    if (local) local.writeDataPoint(dataPointOf(metric));
    else if (Math.random() * oneIn < 1) METRICS.writeDataPoint(dataPointOf({ ...rest, value: value * oneIn }));
  } catch (error) {
    logLine('error', { event: 'metric', requestId: ctx.requestId, error: describeError(error) });
  }
}

/**
 * Builds a data point. Sampling is by index, the account or else the name, so that a busy one leaves the others whole.
 */
export function dataPointOf({ kind, name, outcome = '', method = '', accountId, figures = [], ...costs }: Metric) {
  const { durationMs = 0, roundTrips = 0, rowsRead = 0, rowsWritten = 0, value = 1, ageMs = 0, attempt = 0 } = costs;
  const index = (accountId ?? name).replace(OUTSIDE_ASCII, '?').slice(0, INDEX_CHARS_MAX);
  return {
    indexes: [index],
    blobs: [kind, name, String(outcome), method, accountId ?? ''],
    doubles: [durationMs, roundTrips, rowsRead, rowsWritten, value, ageMs, attempt, ...figures],
  };
}
