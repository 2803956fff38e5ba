import { Hono } from 'hono';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { BACKLOG_WORDS } from '../../../domain/monitoring/alerts.ts';
import { BACKLOGS, type Backlog, type BacklogName } from '../../../domain/monitoring/gauges.ts';
import {
  type DatabaseOutlook,
  getServiceStatus,
  listDatabaseOutlooks,
  type RaisedAlert,
  type ServiceStatus,
} from '../../../domain/monitoring/get-service-status.ts';
import { shownBytes, shownSpan } from '../../../domain/monitoring/send-operator-mails.ts';
import {
  changeAddress,
  getServiceAddress,
  type ServiceAddress,
} from '../../../domain/service-settings/change-address.ts';
import type { SignedInUser } from '../../../domain/users/sessions.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { freshSignIn } from '../confirm/require-fresh-sign-in.tsx';
import type { ConsoleEnv } from '../console-env.ts';
import { ConsoleLayout } from '../console-layout.tsx';
import { Table } from '../list-table.tsx';
import { Badge, formatNumber, LinkButton, Notice, Panel } from '../parts.tsx';
import { page, textOf } from '../reply.tsx';
import { ChartFills } from '../statistics/chart.tsx';
import { Time } from '../time.tsx';
import { AddressPage, AddressPanel } from './address-page.tsx';
import { BacklogChart, SizeChart, StoredChart } from './service-charts.tsx';
import { CertificateTable, DatabaseTable, EndpointTable, FailedJobs } from './service-tables.tsx';

/** The status of the service for its operators. For others, the page doesn't exist. */
export const serviceRoutes = new Hono<ConsoleEnv>();

serviceRoutes.use('*', async (c, next) => {
  if (!c.var.user.isOperator) throw notFound();
  await next();
});

serviceRoutes.get('/', async (c) => {
  const { ctx, user } = c.var;
  const [status, address] = await Promise.all([getServiceStatus(ctx), getServiceAddress(ctx)]);
  const databases = await listDatabaseOutlooks(ctx, status);
  return page(c, <ServicePage user={user} status={status} databases={databases} address={address} />);
});

serviceRoutes.get('/address', async (c) => {
  const address = await getServiceAddress(c.var.ctx);
  return page(c, <AddressPage user={c.var.user} address={address} value={address.stored ?? c.var.ctx.baseUrl} />);
});

// A changed URL affects all links, including sign-in links in e-mails.
serviceRoutes.post('/address', freshSignIn, async (c) => {
  const { ctx, user } = c.var;
  const baseUrl = textOf(await c.req.parseBody(), 'baseUrl');
  try {
    await changeAddress(ctx, { baseUrl }, user.id);
    return c.redirect('/console/service', 303);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid') throw error;
    const address = await getServiceAddress(ctx);
    const shown = { user, address, value: baseUrl, error: error.issues[0]?.message };
    return page(c, <AddressPage {...shown} />, 400);
  }
});

const DAY_MS = 24 * 3_600_000;

interface ServicePageProps {
  user: SignedInUser;
  status: ServiceStatus;
  databases: DatabaseOutlook[];
  address: ServiceAddress;
}

/** The status of the service: health, backlog, growth, and expiring certificates. */
function ServicePage({ user, status, databases, address }: ServicePageProps) {
  const { alerts, now, hours, days } = status;
  return (
    <ConsoleLayout title="Service" user={user} scripts={[clientFile('console/charts.ts').path]}>
      <header class="page-head">
        <h1>Service</h1>
        <div class="actions">
          <LinkButton href="/console" title="Open console" look="quiet" />
        </div>
      </header>
      <Verdict status={status} />
      {alerts.length > 0 && <Alerts alerts={alerts} />}
      <Tiles status={status} />
      <ChartFills />
      <div class="charts">
        <BacklogPanel backlog={now.backlog} />
        <BacklogChart hours={hours} now={now.at} />
        <SizeChart days={days} now={now.at} />
        <StoredChart days={days} now={now.at} />
      </div>
      <DatabaseTable databases={databases} />
      <EndpointTable {...now.failingEndpoints} />
      <CertificateTable now={now} />
      <FailedJobs failed={now.failedJobs} types={status.failedJobTypes} />
      <AddressPanel address={address} />
      <p class="quiet">
        Times are in UTC. Alert limits and the meaning of each figure: <code>docs/operations.md#monitoring</code>. For
        scripts: <code>npm run -s admin -- status --json</code>.
      </p>
    </ConsoleLayout>
  );
}

function Verdict({ status: { isHealthy, alerts, measuredAt } }: { status: ServiceStatus }) {
  const measured =
    measuredAt === null ? null : (
      <>
        {' '}
        Last measured on <Time at={measuredAt} timezone="UTC" />.
      </>
    );
  if (isHealthy) return <Notice tone="good">The service is healthy. No alerts.{measured}</Notice>;
  const count = alerts.length === 1 ? '1 alert.' : `${alerts.length} alerts.`;
  return (
    <Notice tone="careful">
      {count}
      {measured}
    </Notice>
  );
}

function Alerts({ alerts }: { alerts: RaisedAlert[] }) {
  return (
    <Panel id="alerts" title="Alerts">
      <ul class="alerts">
        {alerts.map(({ title, detail, nextStep, raisedAt, docs }) => (
          <li>
            <h3>
              <Badge tone="grave">Alert</Badge> {title}
            </h3>
            <p>{detail}</p>
            <p>
              <strong>Next step:</strong> {nextStep}
            </p>
            <p class="quiet">
              Since <Time at={raisedAt} timezone="UTC" /> · <code>{docs}</code>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Tiles({ status: { now, database } }: { status: ServiceStatus }) {
  const { backlog, webhookLagMs, failedJobs, certificates, at } = now;
  const oldest = BACKLOGS.toSorted((a, b) => (backlog[b].oldestMs ?? -1) - (backlog[a].oldestMs ?? -1))[0]!;
  const { oldestMs } = backlog[oldest];
  const next = certificates[0];
  const days = next && Math.floor((next.validTo - at) / DAY_MS);
  const percent = (database.bytes / database.bytesMax) * 100;
  return (
    <dl class="tiles">
      <Tile
        title="Webhook lag"
        figure={webhookLagMs < 1_000 ? 'None' : shownSpan(webhookLagMs)}
        note="Working endpoints"
      />
      <Tile
        title="Oldest item"
        figure={oldestMs === null ? 'None' : shownSpan(oldestMs)}
        note={oldestMs === null ? 'Nothing is waiting' : BACKLOG_WORDS[oldest].title}
      />
      <Tile
        title="Failed jobs"
        figure={countOf(failedJobs)}
        note={`${formatNumber(failedJobs.lastHour)} in the last hour`}
      />
      <Tile title="Database" figure={shownBytes(database.bytes)} note={`${shownPercent(percent)} of 10 GB`} />
      <Tile title="Growth" figure={growthOf(database)} note={leftOf(database)} />
      <Tile
        title="Next certificate"
        figure={days === undefined ? 'None' : days < 0 ? 'Expired' : `${days} day${days === 1 ? '' : 's'}`}
        note={next?.passTypeId ?? 'No certificates yet'}
      />
    </dl>
  );
}

function Tile({ title, figure, note }: { title: string; figure: string; note: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class="figure">{figure}</dd>
      <dd class="quiet">{note}</dd>
    </div>
  );
}

const shownPercent = (percent: number): string => (percent < 0.1 ? 'Less than 0.1%' : `${percent.toFixed(1)}%`);

function growthOf({ bytesPerDay }: ServiceStatus['database']): string {
  if (bytesPerDay === null) return 'Unknown';
  return bytesPerDay > 0 ? shownBytes(bytesPerDay) : 'None';
}

function leftOf({ bytesPerDay, daysLeft }: ServiceStatus['database']): string {
  if (bytesPerDay === null) return 'Available after one day';
  return daysLeft === null ? 'Smaller than before' : `Per day; full in ${formatNumber(daysLeft)} days`;
}

const countOf = ({ waiting, hasMore }: Backlog): string => `${formatNumber(waiting)}${hasMore ? '+' : ''}`;

function BacklogPanel({ backlog }: { backlog: Record<BacklogName, Backlog> }) {
  return (
    <Panel id="backlog" title="Backlog">
      <Table
        rows={[...BACKLOGS]}
        columns={[
          ['Work', (name) => BACKLOG_WORDS[name].title],
          ['Waiting', (name) => countOf(backlog[name]), 'number'],
          ['Oldest', (name) => oldestOf(backlog[name]), 'number'],
        ]}
      />
    </Panel>
  );
}

const oldestOf = ({ oldestMs }: Backlog): string => (oldestMs === null ? '–' : shownSpan(oldestMs));
