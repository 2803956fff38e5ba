import { and, eq, gte, lt, ne, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { keepMeasured } from '../databases/open-database.ts';
import { databases } from '../databases/table.ts';
import { DIRECTORY } from '../shard-map.ts';
import { type TaskOutcome, troubled } from './alerts.ts';
import { BACKLOGS, type Backlog, gaugeStatements, LISTED_MAX, type Measurement, measurementOf } from './gauges.ts';
import { type ServiceSample, serviceSamples } from './table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days that hourly and daily samples are kept. */
const HOUR_SAMPLES_DAYS = 14;
const DAY_SAMPLES_DAYS = 400;
/** Days from which the growth is computed. */
const GROWTH_DAYS = 30;

/** Returns the measured numbers by name; these are also the names of the gauges in data points. */
export function valuesOf(seen: Measurement): Record<string, number> {
  return {
    ...Object.fromEntries(BACKLOGS.map((name) => [name, seen.backlog[name].waiting])),
    webhookLagMs: seen.webhookLagMs,
    failedJobs: seen.failedJobs.waiting,
    failingEndpoints: seen.failingEndpoints.count,
    databaseBytes: seen.databaseBytes,
    passesEver: seen.passesEver,
    eventsEver: seen.eventsEver,
  };
}

/** Returns the name of a database's size in the sample of a day. */
const sizeOf = (database: string) => `bytes of ${database}`;

function hourOf(at: number): number {
  return at - (at % HOUR_MS);
}

/** Builds the query for the sample of the current hour. */
export function presentHourQuery(ctx: Context, now: number) {
  return ctx.db
    .select()
    .from(serviceSamples)
    .where(and(eq(serviceSamples.period, 'hour'), eq(serviceSamples.startsAt, hourOf(now))));
}

/**
 * Builds the statements that store a measurement and delete old samples; `hour` is the sample of `presentHourQuery`.
 */
export function keepSample(ctx: Context, seen: Measurement, hour: ServiceSample | undefined) {
  const { at } = seen;
  const values = valuesOf(seen);
  const sizes = Object.fromEntries(Object.entries(seen.bytesOf).map(([name, bytes]) => [sizeOf(name), bytes]));
  const highest = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.max(value, hour?.gauges[name] ?? value)]),
  );
  const upsert = (period: ServiceSample['period'], startsAt: number, gauges: Record<string, number>) =>
    ctx.db
      .insert(serviceSamples)
      .values({ period, startsAt, gauges, measuredAt: at })
      .onConflictDoUpdate({
        target: [serviceSamples.period, serviceSamples.startsAt],
        set: { gauges, measuredAt: at },
      });
  const forget = (period: ServiceSample['period'], days: number) =>
    ctx.db
      .delete(serviceSamples)
      .where(and(eq(serviceSamples.period, period), lt(serviceSamples.startsAt, at - days * DAY_MS)));
  return [
    upsert('hour', hourOf(at), highest),
    upsert('day', at - (at % DAY_MS), { ...values, ...sizes }),
    forget('hour', HOUR_SAMPLES_DAYS),
    forget('day', DAY_SAMPLES_DAYS),
  ] as const;
}

/** Builds the query for the samples of the last `days`, oldest first. */
export function samplesQuery(ctx: Context, period: ServiceSample['period'], days: number, now: number) {
  return ctx.db
    .select()
    .from(serviceSamples)
    .where(and(eq(serviceSamples.period, period), gte(serviceSamples.startsAt, now - days * DAY_MS)))
    .orderBy(sql`${serviceSamples.startsAt}`);
}

/** Returns the growth of a database, or of the largest, in bytes per day; undefined: too few samples. */
export function growthOf(days: ServiceSample[], now: number, database?: string): number | undefined {
  const gauge = database === undefined ? 'databaseBytes' : sizeOf(database);
  const recent = days.filter(
    ({ measuredAt, gauges }) => measuredAt >= now - GROWTH_DAYS * DAY_MS && gauges[gauge] !== undefined,
  );
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.measuredAt - first.measuredAt < DAY_MS / 2) return undefined;
  const bytes = last.gauges[gauge]! - first.gauges[gauge]!;
  return (bytes / (last.measuredAt - first.measuredAt)) * DAY_MS;
}

/** A measurement as the directory stores it. Those of earlier releases have no tasks. */
interface StoredMeasurement extends Measurement {
  /** The tasks of the last tick that are not done. */
  tasks?: TaskOutcome[];
}

/**
 * Cron task of each further database: measures it, and stores the result in the directory, with the outcomes of the
 * tick's other tasks. Two round trips.
 */
export async function measureDatabase(ctx: Context, tasks: TaskOutcome[], now = Date.now()): Promise<void> {
  const results = await ctx.db.batch(gaugeStatements(ctx, now));
  const stored: StoredMeasurement = { ...(await measurementOf(ctx, results, now)), tasks: troubled(tasks) };
  await keepMeasured(ctx, stored);
}

/** Builds the query for the measurements of the other databases; for `withOthers`, `silentOf` and `tasksOf`. */
export function othersQuery({ db }: Context) {
  const { name, measured, addedAt } = databases;
  return db.select({ name, measured, addedAt }).from(databases).where(ne(name, DIRECTORY));
}

interface Other {
  name: string;
  measured: object | null;
  addedAt: number;
}

/** The cron measures each minute. If it has not for this long, the tasks of a database do not run. */
const SILENCE_MS = 10 * 60_000;

/** Lists the databases whose cron has not finished for ten minutes. */
export function silentOf(others: Other[], now: number): string[] {
  const isSilent = ({ measured, addedAt }: Other) =>
    Math.max((measured as Measurement | null)?.at ?? 0, addedAt) < now - SILENCE_MS;
  return others.filter(isSilent).map(({ name }) => name);
}

/** Lists the tasks of the other databases that were not done, each with the name of its database. */
export function tasksOf(others: Pick<Other, 'name' | 'measured'>[]): TaskOutcome[] {
  return others.flatMap(({ name, measured }) =>
    ((measured as StoredMeasurement | null)?.tasks ?? []).map(({ task, status }) => ({
      task: `${name}: ${task}`,
      status,
    })),
  );
}

/**
 * Adds the measurements of the other databases to that of the first. Counts add up; of ages and database sizes, the
 * largest counts.
 */
export function withOthers(first: Measurement, rows: { measured: object | null }[]): Measurement {
  return rows.flatMap(({ measured }) => (measured as Measurement | null) ?? []).reduce(together, first);
}

function together(a: Measurement, b: Measurement): Measurement {
  // Each database has the service's own certificates.
  const certificates = new Map([...a.certificates, ...b.certificates].map((one) => [one.id, one]));
  return {
    at: a.at,
    backlog: Object.fromEntries(
      BACKLOGS.map((name) => [name, bothOf(a.backlog[name], b.backlog[name])]),
    ) as Measurement['backlog'],
    webhookLagMs: Math.max(a.webhookLagMs, b.webhookLagMs),
    failedJobs: {
      ...bothOf(a.failedJobs, b.failedJobs),
      lastHour: a.failedJobs.lastHour + b.failedJobs.lastHour,
    },
    failingEndpoints: {
      count: a.failingEndpoints.count + b.failingEndpoints.count,
      hasMore: a.failingEndpoints.hasMore || b.failingEndpoints.hasMore,
      longest: [...a.failingEndpoints.longest, ...b.failingEndpoints.longest]
        .sort((one, other) => one.failingSince - other.failingSince)
        .slice(0, LISTED_MAX),
    },
    certificates: [...certificates.values()].sort((one, other) => one.validTo - other.validTo).slice(0, LISTED_MAX),
    ending: {
      7: (a.ending?.[7] ?? 0) + (b.ending?.[7] ?? 0),
      30: (a.ending?.[30] ?? 0) + (b.ending?.[30] ?? 0),
    },
    databaseBytes: Math.max(a.databaseBytes, b.databaseBytes),
    bytesOf: { ...a.bytesOf, ...b.bytesOf },
    passesEver: a.passesEver + b.passesEver,
    eventsEver: a.eventsEver + b.eventsEver,
  };
}

function bothOf(a: Backlog, b: Backlog): Backlog {
  const ages = [a.oldestMs, b.oldestMs].filter((age) => age !== null);
  return {
    waiting: a.waiting + b.waiting,
    hasMore: a.hasMore || b.hasMore,
    oldestMs: ages.length > 0 ? Math.max(...ages) : null,
  };
}
