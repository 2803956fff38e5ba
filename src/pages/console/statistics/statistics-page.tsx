import type { Statistics } from '../../../domain/statistics/get-statistics.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { AccountLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { formatNumber, Panel, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo, useViewer } from '../viewer.ts';
import { Chart, ChartFills } from './chart.tsx';
import { CHARTS, seriesOf } from './charts.ts';
import { RANGES, type Range } from './range.ts';

interface StatisticsPageProps {
  range: Range;
  statistics: Statistics;
  /** Submitted dates of an invalid range. */
  typed?: { from: string; to: string };
}

/** The charts for a period. */
export function StatisticsPage({ range, statistics, typed }: StatisticsPageProps) {
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

/** The share of passes that are on a device. */
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
