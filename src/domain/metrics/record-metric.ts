import { devMetrics } from '../../dev/metrics.ts';
import { describeError, logLine } from '../../platform/log.ts';
import type { Context } from '../context.ts';

/** Kinds of data points. docs/operations.md describes them, and the columns that they share. */
export type MetricKind = 'request' | 'job' | 'task' | 'delivery' | 'push' | 'gauge';

/** One data point: what has happened, how it ended, and what it has cost. Never a name, an address or a secret. */
export interface Metric {
  kind: MetricKind;
  /** Pattern of the route, type of the job, name of the task, wallet or gauge. */
  name: string;
  /** HTTP status, or how it ended. */
  outcome?: string | number;
  /** HTTP method. */
  method?: string;
  /** Whose work it was, where it was that of one account. */
  accountId?: string | null;
  durationMs?: number;
  roundTrips?: number;
  rowsRead?: number;
  rowsWritten?: number;
  /** What is counted, 1 unless given; of a gauge its value. */
  value?: number;
  /** Milliseconds that it has waited, or is late. */
  ageMs?: number;
  /** How often it was tried, this time included. */
  attempt?: number;
}

/** The index of a data point has at most 96 bytes (Cloudflare, Analytics Engine "Limits"). */
const INDEX_CHARS_MAX = 96;
const OUTSIDE_ASCII = /[^ -~]/g;

/**
 * Writes a data point to Analytics Engine, or to a table of a local service. It takes no time of the caller, and a
 * service without the binding goes on without. An invocation may write 250: a request and a job write one, a batch of
 * a queue at most some dozens, the cron one for each task and gauge.
 */
export function recordMetric(ctx: Context, metric: Metric): void {
  const { METRICS } = ctx.env;
  if (!METRICS) return;
  try {
    (devMetrics(ctx) ?? METRICS).writeDataPoint(dataPointOf(metric));
  } catch (error) {
    logLine('error', { event: 'metric', requestId: ctx.requestId, error: describeError(error) });
  }
}

/** Rows are sampled by their index, so that of an account, or else the name: a busy one leaves the others whole. */
export function dataPointOf({ kind, name, outcome = '', method = '', accountId, ...figures }: Metric) {
  const { durationMs = 0, roundTrips = 0, rowsRead = 0, rowsWritten = 0, value = 1, ageMs = 0, attempt = 0 } = figures;
  const index = (accountId ?? name).replace(OUTSIDE_ASCII, '?').slice(0, INDEX_CHARS_MAX);
  return {
    indexes: [index],
    blobs: [kind, name, String(outcome), method, accountId ?? ''],
    doubles: [durationMs, roundTrips, rowsRead, rowsWritten, value, ageMs, attempt],
  };
}
