import type { Context } from '../domain/context.ts';
import type { Env } from '../platform/env.ts';
import { isLocalService } from '../platform/local-request.ts';
import { purgeItems } from './inbox/items.ts';
import { purgePoints } from './metrics/points.ts';

/** Cron tasks that only a local service has. */
export function devTasks(env: Env): Record<string, (ctx: Context) => Promise<void>> {
  return isLocalService(env) ? { 'purge-dev-inbox': purgeItems, 'purge-dev-metrics': purgePoints } : {};
}
