import type { ScanDetails } from '../../../domain/app-scans/search-scans.ts';
import { NAMED_MAX, type Overview } from '../../../domain/overview/get-overview.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Fact, formatNumber, Panel } from '../parts.tsx';
import { ScanTable } from '../scans/scan-table.tsx';
import { sectionPath } from '../sections.ts';
import { type Bucket, bucketed, type Range } from '../statistics/range.ts';
import { hrefTo, useViewer } from '../viewer.ts';
import { Attention } from './attention.tsx';
import { GettingStarted } from './getting-started.tsx';

/** Metrics of the overview, over the last seven days. */
export const OVERVIEW_METRICS = {
  installs: ['pushnotification_registered'],
  scans: [0, 1, 2, 3, 'other'].map((status) => `app_scan_created.${status}`),
  failedMessages: ['message_failed'],
};

interface OverviewPageProps {
  overview: Overview;
  range: Range;
  scans: ScanDetails[];
  baseUrl: string;
  /** UTC milliseconds. */
  now: number;
}

/** The overview of an account. */
export function OverviewPage({ overview, range, scans, baseUrl, now }: OverviewPageProps) {
  const { account } = useViewer();
  const countOf = (metrics: string[]) =>
    bucketed(
      range,
      overview.counts.filter(({ metric }) => metrics.includes(metric)),
    );
  const failedMessages = countOf(OVERVIEW_METRICS.failedMessages).reduce((sum, one) => sum + one, 0);
  const isNew = overview.passes === 0;
  return (
    <AccountLayout title={account.name} scripts={isNew ? [clientFile('console/copy-code.ts').path] : []}>
      {isNew && <GettingStarted overview={overview} baseUrl={baseUrl} />}
      <Attention overview={overview} failedMessages={failedMessages} now={now} />
      {!isNew && (
        <dl class="tiles">
          <Tile title="Passes" value={overview.passes} />
          <Tile title="On a device" value={overview.activePasses} note={shareOf(overview)} />
          <Tile title="Installs, 7 days" values={countOf(OVERVIEW_METRICS.installs)} range={range} />
          <Tile title="Scans, 7 days" values={countOf(OVERVIEW_METRICS.scans)} range={range} />
        </dl>
      )}
      {!isNew && (
        <Panel id="last-scans" title="Latest scans" aside={<a href={sectionPath(account.id, 'scans')}>All scans</a>}>
          {scans.length > 0 ? (
            <ScanTable scans={scans} />
          ) : (
            <p class="quiet">
              No scans yet. <a href={sectionPath(account.id, 'app-configurations')}>App configurations</a> define which
              passes a scanner accepts.
            </p>
          )}
        </Panel>
      )}
      {overview.templates.length > 0 && <NewestTemplates templates={overview.templates} />}
      <dl class="facts">
        <Fact title="Time zone" value={account.timezone} />
        <Fact title="Account identifier" value={<code>{account.id}</code>} />
      </dl>
    </AccountLayout>
  );
}

interface TileProps {
  title: string;
  value?: number;
  note?: string;
  /** One value per day. The tile shows their sum. */
  values?: number[];
  range?: Range;
}

function Tile({ title, value, note, values, range }: TileProps) {
  const shown = value ?? values?.reduce((sum, one) => sum + one, 0) ?? 0;
  return (
    <div>
      <dt>{title}</dt>
      <dd class="figure">{formatNumber(shown)}</dd>
      {note && <dd class="quiet">{note}</dd>}
      {values && range && (
        <dd>
          <Sparkline values={values} buckets={range.buckets} />
        </dd>
      )}
    </div>
  );
}

function shareOf({ passes, activePasses }: Overview): string {
  return `${Math.round((activePasses / passes) * 100)}% of all`;
}

function NewestTemplates({ templates }: { templates: Overview['templates'] }) {
  const all = hrefTo('templates');
  return (
    <Panel id="templates" title="Templates" aside={<a href={all}>All templates</a>}>
      <Table
        rows={templates.slice(0, NAMED_MAX)}
        columns={[
          ['Name', ({ id, name }) => <a href={`${all}/${id}`}>{name}</a>],
          ['Passes', ({ passCount }) => formatNumber(passCount), 'number'],
        ]}
      />
      {templates.length > NAMED_MAX && <p class="quiet">The {NAMED_MAX} newest templates.</p>}
    </Panel>
  );
}

const HEIGHT = 36;

/** A small bar chart, oldest first, with its values as text. */
function Sparkline({ values, buckets }: { values: number[]; buckets: Bucket[] }) {
  const highest = Math.max(1, ...values);
  const wide = 100 / values.length;
  const words = values.map((value, i) => `${buckets[i]!.title}: ${formatNumber(value)}`).join(', ');
  return (
    <svg class="sparkline" height={HEIGHT} role="img" aria-label={words}>
      {values.map((value, i) => {
        const height = Math.max(2, Math.round((value / highest) * HEIGHT));
        return (
          <rect x={`${(i + 0.2) * wide}%`} width={`${wide * 0.6}%`} y={HEIGHT - height} height={height} rx="2">
            <title>{`${buckets[i]!.title}: ${formatNumber(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
