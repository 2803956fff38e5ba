import { Hono } from 'hono';
import { DomainError, type Issue } from '../../../domain/errors.ts';
import { getStatistics, type HourlyCount, type Statistics } from '../../../domain/statistics/get-statistics.ts';
import { clientFile } from '../../../platform/client-files.ts';
import type { AccountEnv } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { formatNumber, Panel, Problems, SubmitButton } from '../parts.tsx';
import { page } from '../reply.tsx';
import { hrefTo, useViewer } from '../viewer.ts';
import { Chart, ChartFills, type LOOKS, type Series } from './chart.tsx';
import { bucketed, RANGES, type Range, readRange } from './range.ts';

/** Routes for the statistics of an account. */
export const statisticsRoutes = new Hono<AccountEnv>();

statisticsRoutes.get('/', async (c) => {
  const query = c.req.query();
  const { timezone } = c.var.acting.account;
  const show = async (range: Range, issues: Issue[] = []) => {
    const statistics = await getStatistics(c.var.acting, METRICS, range.buckets[0]!.from, range.to - 1);
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

interface StatisticsPageProps {
  range: Range;
  statistics: Statistics;
  /** Submitted dates of an invalid range. */
  typed?: { from: string; to: string };
}

function StatisticsPage({ range, statistics, typed }: StatisticsPageProps) {
  const base = hrefTo('statistics');
  return (
    <AccountLayout title="Statistics" section="statistics" scripts={[clientFile('console/charts.ts').path]}>
      <Problems title="Not shown:" />
      <div class="ranges">
        <nav class="time-range" aria-label="Period">
          {RANGES.map(({ id, title }) => (
            <a href={`${base}?range=${id}`} aria-current={id === range.id && !typed ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <form class="range-form" method="get" action={base} aria-label="Days">
          <input type="hidden" name="range" value="custom" />
          <TextField name="from" label="From" type="date" value={typed?.from ?? range.firstDay} required />
          <TextField name="to" label="To" type="date" value={typed?.to ?? range.lastDay} required />
          <SubmitButton title="Show period" look="small quiet" />
        </form>
      </div>
      <p class="quiet">Times are in {useViewer().account.timezone}. Counts update within three minutes.</p>
      <ChartFills />
      <div class="charts">
        <PassShares statistics={statistics} />
        {CHARTS.map((chart) => (
          <Chart {...chart} buckets={range.buckets} series={seriesOf(chart, range, statistics.counts)} />
        ))}
      </div>
    </AccountLayout>
  );
}

function PassShares({ statistics: { passes, activePasses } }: { statistics: Statistics }) {
  const inactive = Math.max(0, passes - activePasses);
  const share = passes === 0 ? 0 : Math.min(100, (activePasses / passes) * 100);
  const parts = [
    { title: 'On a device (active)', count: activePasses, look: 'plain', x: 0, width: share },
    { title: 'On no device (inactive)', count: inactive, look: 'hatched', x: share, width: 100 - share },
  ];
  return (
    <Panel id="passes-now" title="Passes now">
      {passes === 0 ? (
        <p class="quiet">No passes yet.</p>
      ) : (
        <>
          <dl class="facts">
            {parts.map(({ title, count, look }) => (
              <div>
                <dt class="legend-term">
                  <svg class="swatch" aria-hidden="true" viewBox="0 0 14 14">
                    <rect class={`look-${look}`} width="14" height="14" rx="3" />
                  </svg>
                  {title}
                </dt>
                <dd class="figure">{formatNumber(count)}</dd>
              </div>
            ))}
          </dl>
          <svg class="shares" height="22" role="img" aria-label={`${Math.round(share)}% of the passes are on a device`}>
            {parts.map(({ look, x, width }) => (
              <rect class={`look-${look}`} x={`${x}%`} width={`${width}%`} height="22" />
            ))}
          </svg>
        </>
      )}
    </Panel>
  );
}

interface ChartSeries {
  title: string;
  metric: string;
  look: (typeof LOOKS)[number];
  isBelow?: boolean;
}

interface ChartDefinition {
  id: string;
  title: string;
  empty: string;
  parts: ChartSeries[];
}

/** The charts in order. */
const CHARTS: ChartDefinition[] = [
  {
    id: 'installs',
    title: 'Installs',
    empty: 'An install is counted when a device adds a pass.',
    parts: [
      { title: 'Added to a wallet', metric: 'pushnotification_registered', look: 'plain' },
      { title: 'Removed', metric: 'pushnotification_unregistered', look: 'hatched', isBelow: true },
    ],
  },
  {
    id: 'passes',
    title: 'Passes',
    empty: 'Counts created and deleted passes.',
    parts: [
      { title: 'Created', metric: 'pass_created', look: 'plain' },
      { title: 'Deleted', metric: 'pass_deleted', look: 'hatched', isBelow: true },
    ],
  },
  {
    id: 'scans',
    title: 'Scans',
    empty: 'Open the link of an app configuration on a phone to scan passes.',
    parts: [
      { title: 'Accepted, voided', metric: 'app_scan_created.0', look: 'plain' },
      { title: 'Accepted', metric: 'app_scan_created.2', look: 'hatched' },
      { title: 'Rejected', metric: 'app_scan_created.1', look: 'dotted' },
      { title: 'Not found', metric: 'app_scan_created.3', look: 'striped' },
      { title: 'Other statuses', metric: 'app_scan_created.other', look: 'crossed' },
    ],
  },
  {
    id: 'deliveries',
    title: 'Webhook deliveries',
    empty: 'Webhooks with an endpoint URL get deliveries.',
    parts: [
      { title: 'Delivered', metric: 'webhook_delivered', look: 'plain' },
      { title: 'Retrying', metric: 'webhook_retried', look: 'striped' },
      { title: 'Failed', metric: 'webhook_failed', look: 'dotted' },
    ],
  },
  {
    id: 'messages',
    title: 'Messages',
    empty: 'The service sends a pass to its e-mail address or phone number.',
    parts: [
      { title: 'Sent', metric: 'message_sent', look: 'plain' },
      { title: 'Failed', metric: 'message_failed', look: 'dotted' },
    ],
  },
];

/** All metrics of the charts. */
export const METRICS = CHARTS.flatMap(({ parts }) => parts.map(({ metric }) => metric));

/** Returns the series of a chart. */
function seriesOf({ parts }: ChartDefinition, range: Range, counts: HourlyCount[]): Series[] {
  return parts.map(({ title, metric, look, isBelow }) => ({
    title,
    look,
    isBelow,
    values: bucketed(
      range,
      counts.filter((one) => one.metric === metric),
    ),
  }));
}
