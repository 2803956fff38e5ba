import { type Context, contextOf } from '../domain/context.ts';
import { isLocalService } from '../platform/local-request.ts';
import { insertPoints, type Point } from './metrics/points.ts';

/** Points to write in one batch: written one by one, they would double the statements of a request. */
let waiting: Point[] = [];
/** Time when the next batch was scheduled, in UTC milliseconds. If it dies with its request, another is scheduled. */
let askedAt = 0;
const WAIT_MS = 500;
const ABANDONED_MS = 10_000;

/**
 * Returns the table that replaces Analytics Engine in a local service, because Miniflare lacks it. Undefined in a
 * deployment.
 */
export function devMetrics(ctx: Context): AnalyticsEngineDataset | undefined {
  if (!isLocalService(ctx.env)) return undefined;
  return {
    writeDataPoint({ indexes = [], blobs = [], doubles = [] } = {}) {
      const now = Date.now();
      waiting.push({ index: String(indexes[0]), blobs: blobs.map(String), doubles, createdAt: now });
      if (now - askedAt < ABANDONED_MS && now >= askedAt) return;
      askedAt = now;
      ctx.waitUntil(writeSoon(ctx));
    },
  };
}

/**
 * Writes the points after a short wait. Points that can't be written, for example at shutdown, are lost: they are
 * samples.
 */
async function writeSoon({ env, requestId }: Context): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const points = waiting;
  waiting = [];
  askedAt = 0;
  // In a separate session, so that the writes don't count toward a request.
  const ctx = contextOf(env, 0, { requestId, waitUntil: () => {} });
  await insertPoints(ctx, points).catch(() => {});
}
