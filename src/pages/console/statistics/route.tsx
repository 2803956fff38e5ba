import { Hono } from 'hono';
import { DomainError, type Issue } from '../../../domain/errors.ts';
import { getStatistics } from '../../../domain/statistics/get-statistics.ts';
import type { AccountEnv } from '../console-env.ts';
import { frameOf, page } from '../reply.tsx';
import { METRICS } from './charts.ts';
import { type Range, readRange } from './range.ts';
import { StatisticsPage } from './statistics-page.tsx';

/** What happened in the account over time. */
export const statisticsRoutes = new Hono<AccountEnv>();

statisticsRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const query = c.req.query();
  const { timezone } = acting.account;
  const show = async (range: Range, refused: { messages?: Issue[]; typed?: { from: string; to: string } } = {}) => {
    const statistics = await getStatistics(acting, METRICS, range.buckets[0]!.from, range.to - 1);
    const content = <StatisticsPage frame={frameOf(c)} range={range} statistics={statistics} {...refused} />;
    return page(c, content, refused.messages ? 400 : 200);
  };
  try {
    return await show(readRange(query, timezone, Date.now()));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const typed = { from: query.from ?? '', to: query.to ?? '' };
    return show(readRange({}, timezone, Date.now()), { messages: error.issues, typed });
  }
});
