import type { ScanDetails } from '../../../domain/app-scans/search-scans.ts';
import { NAMED_MAX, type Overview } from '../../../domain/overview/get-overview.ts';
import { clientFile } from '../../client-files.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { Panel } from '../parts.tsx';
import { ScanTable } from '../scans/scan-table.tsx';
import { sectionPath } from '../sections.ts';
import { bucketed, type Range } from '../statistics/range.ts';
import { Attention } from './attention.tsx';
import { GettingStarted } from './getting-started.tsx';
import { Sparkline } from './sparkline.tsx';

/** What the overview counts, over the last seven days. */
export const OVERVIEW_METRICS = {
  installs: ['pushnotification_registered'],
  scans: [0, 1, 2, 3, 'other'].map((status) => `app_scan_created.${status}`),
  failedMessages: ['message_failed'],
};

interface OverviewPageProps {
  frame: Frame;
  overview: Overview;
  range: Range;
  scans: ScanDetails[];
  baseUrl: string;
  /** UTC milliseconds. */
  now: number;
}

/** What an owner wants to see first. */
export function OverviewPage({ frame, overview, range, scans, baseUrl, now }: OverviewPageProps) {
  const { account } = frame;
  const countOf = (metrics: string[]) =>
    bucketed(
      range,
      overview.counts.filter(({ metric }) => metrics.includes(metric)),
    );
  const failedMessages = countOf(OVERVIEW_METRICS.failedMessages).reduce((sum, one) => sum + one, 0);
  const isNew = overview.passes === 0;
  return (
    <AccountLayout frame={frame} title={account.name} scripts={isNew ? [clientFile('console/copy-code.ts').path] : []}>
      {isNew && <GettingStarted frame={frame} overview={overview} baseUrl={baseUrl} />}
      <Attention frame={frame} overview={overview} failedMessages={failedMessages} now={now} />
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
            <ScanTable frame={frame} scans={scans} />
          ) : (
            <p class="quiet">
              No scans yet. <a href={sectionPath(account.id, 'app-configurations')}>App configurations</a> define which
              passes a scanner accepts.
            </p>
          )}
        </Panel>
      )}
      {overview.templates.length > 0 && <NewestTemplates frame={frame} templates={overview.templates} />}
      <dl class="facts">
        <div>
          <dt>Time zone</dt>
          <dd>{account.timezone}</dd>
        </div>
        <div>
          <dt>Account identifier</dt>
          <dd>
            <code>{account.id}</code>
          </dd>
        </div>
      </dl>
    </AccountLayout>
  );
}

interface TileProps {
  title: string;
  value?: number;
  note?: string;
  /** A value for each day, whose sum is shown. */
  values?: number[];
  range?: Range;
}

function Tile({ title, value, note, values, range }: TileProps) {
  const shown = value ?? values?.reduce((sum, one) => sum + one, 0) ?? 0;
  return (
    <div>
      <dt>{title}</dt>
      <dd class="figure">{shown.toLocaleString('en')}</dd>
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
  return `${Math.round((activePasses / passes) * 100)} % of all`;
}

function NewestTemplates({ frame, templates }: { frame: Frame; templates: Overview['templates'] }) {
  const all = sectionPath(frame.account.id, 'templates');
  return (
    <Panel id="templates" title="Templates" aside={<a href={all}>All templates</a>}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Passes
            </th>
          </tr>
        </thead>
        <tbody>
          {templates.slice(0, NAMED_MAX).map(({ id, name, passCount }) => (
            <tr>
              <th scope="row">
                <a href={`${all}/${id}`}>{name}</a>
              </th>
              <td class="number" data-label="Passes">
                {passCount.toLocaleString('en')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {templates.length > NAMED_MAX && <p class="quiet">The newest {NAMED_MAX} of them.</p>}
    </Panel>
  );
}
