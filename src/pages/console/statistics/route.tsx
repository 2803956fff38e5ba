import { Hono } from 'hono';
import { DomainError, type Issue } from '../../../domain/errors.ts';
import { getStatistics } from '../../../domain/statistics/get-statistics.ts';
import type { AccountEnv } from '../console-env.ts';
import { page } from '../reply.tsx';
import { METRICS } from './charts.ts';
import { type Range, readRange } from './range.ts';
import { StatisticsPage } from './statistics-page.tsx';

/** Routes for the statistics of an account. */
export const statisticsRoutes = new Hono<AccountEnv>();

statisticsRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const query = c.req.query();
  const { timezone } = acting.account;
  const show = async (range: Range, issues: Issue[] = []) => {
    const statistics = await getStatistics(acting, METRICS, range.buckets[0]!.from, range.to - 1);
    const typed = issues.length > 0 ? { from: query.from ?? '', to: query.to ?? '' } : undefined;
    const content = <StatisticsPage range={range} statistics={statistics} typed={typed} />;
    return page(c, content, typed ? 400 : 200, issues);
  };
  try {
    return await show(readRange(query, timezone, Date.now()));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return show(readRange({}, timezone, Date.now()), error.issues);
  }
});
