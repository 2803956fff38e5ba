import { Hono } from 'hono';
import { configurationNames } from '../../../domain/app-configurations/configuration-details.ts';
import { scanTotal, scanTotalQuery, searchScans } from '../../../domain/app-scans/search-scans.ts';
import { invalid } from '../../../domain/errors.ts';
import { formatDateTime } from '../../../platform/dates.ts';
import type { AccountEnv } from '../console-env.ts';
import { csvHeaders, page } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { exportScans } from './export-scans.ts';
import { readFilter, readPlace } from './filter.ts';
import { ScansPage } from './scans-page.tsx';

const PAGE_ROWS = 50;

/** Routes for scans. */
export const scanRoutes = new Hono<AccountEnv>();

scanRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const { typed, filter, issues } = readFilter(acting, c.req.query());
  const before = readPlace(c.req.query('before'));
  const [configurations, [counted]] = await acting.db.batch([
    configurationNames(acting),
    scanTotalQuery(acting, filter.configurationId),
  ]);
  const isReadable = issues.length === 0;
  const found = isReadable ? await searchScans(acting, { ...filter, limit: PAGE_ROWS, before }) : undefined;
  const shown = { typed, configurations, found, total: counted?.total ?? 0, isFirst: before === undefined };
  return page(c, <ScansPage {...shown} />, isReadable ? 200 : 400, issues);
});

/** The number of scans, which the list's script polls. */
scanRoutes.get('/total', async (c) => {
  const { acting } = c.var;
  const total = await scanTotal(acting, readFilter(acting, c.req.query()).filter.configurationId);
  return c.json({ total }, 200, { 'Cache-Control': 'no-store' });
});

scanRoutes.get('/export.csv', requirePrivilege('personal_data'), (c) => {
  const { acting } = c.var;
  const { filter, issues } = readFilter(acting, c.req.query());
  if (issues.length > 0) throw invalid(issues);
  const today = formatDateTime(Date.now(), acting.account.timezone).slice(0, 10);
  return c.body(exportScans(acting, filter), 200, csvHeaders(`scans-${today}.csv`));
});
