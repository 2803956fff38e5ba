import { type Context, contextOf } from '../domain/context.ts';
import { isLocalService } from '../platform/local-request.ts';
import { insertPoints, type Point } from './metrics/points.ts';

/** Points that wait to be written together: written one by one, they would double the statements of a request. */
let waiting: Point[] = [];
/** When the next writing was asked for, UTC milliseconds. One that dies with its request is asked for again. */
let askedAt = 0;
const WAIT_MS = 500;
const ABANDONED_MS = 10_000;

/** What a local service has in place of Analytics Engine, which Miniflare lacks: a table. Undefined in a deployment. */
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

/** Points are samples: those that cannot be written, say because the service ends, are lost. */
async function writeSoon({ env, requestId }: Context): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const points = waiting;
  waiting = [];
  askedAt = 0;
  // In a session of its own, so that no request is charged for it.
  const ctx = contextOf(env, 0, { requestId, waitUntil: () => {} });
  await insertPoints(ctx, points).catch(() => {});
}
