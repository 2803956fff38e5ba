import { Hono } from 'hono';
import { searchScans } from '../../../domain/app-scans/search-scans.ts';
import { getOverview } from '../../../domain/overview/get-overview.ts';
import type { AccountEnv } from '../console-env.ts';
import { page } from '../reply.tsx';
import { readRange } from '../statistics/range.ts';
import { OVERVIEW_METRICS, OverviewPage } from './overview-page.tsx';

const LAST_SCANS = 5;

export const overviewRoutes = new Hono<AccountEnv>();

overviewRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const now = Date.now();
  const range = readRange({}, acting.account.timezone, now);
  const metrics = Object.values(OVERVIEW_METRICS).flat();
  const overview = await getOverview(acting, { metrics, from: range.buckets[0]!.from, now });
  const { scans } = await searchScans(acting, { limit: LAST_SCANS });
  const shown = { overview, range, scans, baseUrl: acting.baseUrl, now };
  return page(c, <OverviewPage {...shown} />);
});
