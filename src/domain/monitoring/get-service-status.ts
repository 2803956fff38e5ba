import { asc, desc, isNotNull, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import type { Context } from '../context.ts';
import { DATABASE_BYTES_MAX, type DatabaseFacts, listDatabases } from '../databases/list-databases.ts';
import { deadLetters } from '../dead-letters/table.ts';
import { ALERTS, type AlertDefinition, docsOf } from './alerts.ts';
import { gaugeStatements, type Measurement, measurementOf } from './gauges.ts';
import { growthOf, othersQuery, samplesQuery, withOthers } from './samples.ts';
import { type ServiceSample, serviceAlerts } from './table.ts';

/** The cron measures each minute. If it has not for this long, it counts as stopped. */
const SILENCE_MS = 5 * 60_000;
/** Days of hourly and daily samples to show. */
const HOURS_DAYS = 3;
const GROWTH_DAYS = 30;
/** Failed jobs to count by type, newest first. */
const TYPED_MAX = 1_000;

export interface RaisedAlert extends Pick<AlertDefinition, 'title' | 'nextStep'> {
  name: string;
  detail: string;
  /** UTC milliseconds. */
  raisedAt: number;
  /** Page and section of the documentation. */
  docs: string;
}

export interface ServiceStatus {
  /** Whether no alert is raised and the cron runs. */
  isHealthy: boolean;
  /** When the cron last measured; null: it never did. */
  measuredAt: number | null;
  alerts: RaisedAlert[];
  now: Measurement;
  database: {
    bytes: number;
    bytesMax: number;
    /** Null: measured for too short a time. */
    bytesPerDay: number | null;
    /** Null: not known, or it does not grow. */
    daysLeft: number | null;
  };
  failedJobTypes: { type: string; count: number }[];
  /** Samples of the last days, oldest first. */
  hours: ServiceSample[];
  days: ServiceSample[];
}

/** Returns the state of the service: current measurement, raised alerts and past samples. One round trip. */
export async function getServiceStatus(ctx: Context, now = Date.now()): Promise<ServiceStatus> {
  const [raised, hours, days, types, [first], others, ...gauges] = await ctx.db.batch([
    ctx.db.select().from(serviceAlerts).where(isNotNull(serviceAlerts.raisedAt)).orderBy(asc(serviceAlerts.raisedAt)),
    samplesQuery(ctx, 'hour', HOURS_DAYS, now),
    samplesQuery(ctx, 'day', GROWTH_DAYS, now),
    rawStatement<{ type: string; count: number }>(
      ctx.db,
      sql`select type, count(*) as count from (${ctx.db
        .select({ type: deadLetters.type })
        .from(deadLetters)
        .orderBy(desc(deadLetters.failedAt))
        .limit(TYPED_MAX)}) group by type order by count desc`,
    ),
    ctx.db.select({ createdAt: accounts.createdAt }).from(accounts).orderBy(sql`rowid`).limit(1),
    othersQuery(ctx),
    ...gaugeStatements(ctx, now),
  ]);
  const seen = withOthers(await measurementOf(ctx, gauges, now), others);
  const { databaseBytes: bytes } = seen;
  const measuredAt = days.at(-1)?.measuredAt ?? null;
  const alerts = raised.flatMap(({ name, raisedAt, detail }) => {
    const definition = Object.hasOwn(ALERTS, name) ? ALERTS[name] : undefined;
    if (!definition || raisedAt === null) return [];
    const { title, nextStep } = definition;
    return [{ name, title, detail, nextStep, raisedAt, docs: docsOf(definition) }];
  });
  // The cron of a new service has not run yet.
  const isNew = measuredAt === null && now - (first?.createdAt ?? now) <= SILENCE_MS;
  const silent = isNew ? undefined : cronAlert(measuredAt, now);
  const all = silent ? [silent, ...alerts] : alerts;
  return {
    isHealthy: all.length === 0,
    measuredAt,
    alerts: all,
    now: seen,
    database: { bytes, bytesMax: DATABASE_BYTES_MAX, ...outlookOf(bytes, growthOf(days, now)) },
    failedJobTypes: types,
    hours,
    days,
  };
}

/** A stopped cron can't report itself, so a request for the status does. */
function cronAlert(measuredAt: number | null, now: number): RaisedAlert | undefined {
  if (measuredAt !== null && now - measuredAt <= SILENCE_MS) return undefined;
  return {
    name: 'cron',
    title: 'The cron is not running',
    detail:
      measuredAt === null
        ? 'It has never measured the service.'
        : `It last measured the service on ${new Date(measuredAt).toISOString()}.`,
    nextStep:
      'Check the cron trigger of the Worker, and the log. A local service runs the cron as long as it is running.',
    raisedAt: measuredAt ?? now,
    docs: docsOf({ section: 'cron-tasks' }),
  };
}

/** A database with its counts, its growth and the days until it is full. */
export interface DatabaseOutlook extends DatabaseFacts {
  /** Null: measured for too short a time. */
  bytesPerDay: number | null;
  /** Null: not known, or it does not grow. */
  daysLeft: number | null;
}

/** Lists the databases with their growth in the samples of `days`. One round trip, then one for each in parallel. */
export async function listDatabaseOutlooks(
  ctx: Context,
  { days, now }: Pick<ServiceStatus, 'days' | 'now'>,
): Promise<DatabaseOutlook[]> {
  const list = await listDatabases(ctx);
  return list.map((one) => ({ ...one, ...outlookOf(one.bytes, growthOf(days, now.at, one.name)) }));
}

function outlookOf(bytes: number, bytesPerDay: number | undefined) {
  const daysLeft = bytesPerDay && bytesPerDay > 0 ? Math.floor((DATABASE_BYTES_MAX - bytes) / bytesPerDay) : null;
  return { bytesPerDay: bytesPerDay ?? null, daysLeft };
}
