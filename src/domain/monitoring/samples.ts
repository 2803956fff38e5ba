import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { BACKLOGS, type Measurement } from './gauges.ts';
import { type ServiceSample, serviceSamples } from './table.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days that hourly and daily samples are kept. */
export const HOUR_SAMPLES_DAYS = 14;
export const DAY_SAMPLES_DAYS = 400;
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

function dayOf(at: number): number {
  return at - (at % DAY_MS);
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
    upsert('day', dayOf(at), { ...values, ...sizes }),
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
