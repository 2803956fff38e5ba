import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { type ScanDetails, searchScans } from '../../../domain/app-scans/search-scans.ts';
import { getOverview, NAMED_MAX, type Overview } from '../../../domain/overview/get-overview.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import type { AccountEnv } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Badge, Fact, formatNumber, Panel } from '../parts.tsx';
import { page } from '../reply.tsx';
import { ScanTable } from '../scans/scan-table.tsx';
import { hasSection, sectionPath } from '../sections.ts';
import { type Bucket, bucketed, type Range, readRange } from '../statistics/range.ts';
import { hrefTo, useViewer } from '../viewer.ts';
import { Attention } from './attention.tsx';

const LAST_SCANS = 5;

export const overviewRoutes = new Hono<AccountEnv>();

overviewRoutes.get('/', async (c) => {
  const { acting } = c.var;
  const now = Date.now();
  const range = readRange({}, acting.account.timezone, now);
  const metrics = Object.values(OVERVIEW_METRICS).flat();
  const overview = await getOverview(acting, { metrics, from: range.buckets[0]!.from, now });
  const { scans } = await searchScans(acting, { limit: LAST_SCANS });
  return page(c, <OverviewPage overview={overview} range={range} scans={scans} baseUrl={acting.baseUrl} now={now} />);
});

/** Metrics of the overview, over the last seven days. */
const OVERVIEW_METRICS = {
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
function OverviewPage({ overview, range, scans, baseUrl, now }: OverviewPageProps) {
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

const shareOf = ({ passes, activePasses }: Overview): string => `${Math.round((activePasses / passes) * 100)}% of all`;

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

/** Steps to the first pass, for an account without passes. */
function GettingStarted({ overview, baseUrl }: { overview: Overview; baseUrl: string }) {
  const { account, privileges } = useViewer();
  const [template] = overview.templates;
  const id = template?.id ?? '<template identifier>';
  const curl = `curl -X POST "${baseUrl}/api/v3/pass?async=false" \\
  -H "Authorization: $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"data": {"templateId": "${id}", "userProvidedId": "order-1001"}}'`;
  return (
    <Panel id="start" title="Your first pass">
      <ol class="steps">
        <Step title="Design a template" isDone={template !== undefined}>
          <p>
            A template defines the design and the data of its passes.{' '}
            <a href={sectionPath(account.id, 'templates')}>Templates</a>
          </p>
        </Step>
        <Step title="Create an API key" isDone={overview.hasApiKey}>
          <p>
            Your programs use it to access the account.{' '}
            {hasSection(privileges, 'api-keys') ? (
              <a href={sectionPath(account.id, 'api-keys')}>API keys</a>
            ) : (
              'A member with the privilege “api_keys.manage” can create one.'
            )}
          </p>
        </Step>
        <Step title="Create a pass" isDone={false}>
          <p>
            With the key in <code>$API_KEY</code>. The reply contains <code>downloadPage</code>: open it on a phone.
          </p>
          <CodeBlock title="In a terminal" code={curl} />
        </Step>
      </ol>
    </Panel>
  );
}

function Step({ title, isDone, children }: { title: string; isDone: boolean; children: Child }) {
  return (
    <li>
      <h3>
        {title} {isDone && <Badge tone="good">Done</Badge>}
      </h3>
      {children}
    </li>
  );
}
