import type { BacklogName } from '../../../domain/monitoring/gauges.ts';
import type { ServiceStatus } from '../../../domain/monitoring/get-service-status.ts';
import { Chart, type LOOKS } from '../statistics/chart.tsx';
import type { Bucket } from '../statistics/range.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS_SHOWN = 48;
const DAYS_SHOWN = 30;

type Samples = ServiceStatus['hours'];

/** Kinds of work, combined because a chart supports five series. */
const STACKS: { title: string; look: (typeof LOOKS)[number]; of: BacklogName[] }[] = [
  { title: 'Pushes', look: 'plain', of: ['pushes', 'pushPages'] },
  { title: 'Messages', look: 'hatched', of: ['messages'] },
  { title: 'Events and deliveries', look: 'dotted', of: ['events', 'deliveries'] },
  { title: 'Images', look: 'striped', of: ['images'] },
  { title: 'Bulk operations', look: 'crossed', of: ['processes'] },
];

const highest = (values: number[]) => Math.max(0, ...values);
const last = (values: number[]) => values.at(-1) ?? 0;

function lookUp(samples: Samples, buckets: Bucket[], value: (gauges: Record<string, number>) => number): number[] {
  const byStart = new Map(samples.map(({ startsAt, gauges }) => [startsAt, gauges]));
  return buckets.map(({ from }) => value(byStart.get(from) ?? {}));
}

/** The peak backlog of each of the last hours. */
export function BacklogChart({ hours, now }: { hours: Samples; now: number }) {
  const buckets = bucketsOf(now, HOUR_MS, HOURS_SHOWN);
  const series = STACKS.map(({ title, look, of }) => ({
    title,
    look,
    values: lookUp(hours, buckets, (gauges) => of.reduce((sum, name) => sum + (gauges[name] ?? 0), 0)),
  }));
  return (
    <Chart
      id="backlog-hours"
      title="Backlog, peak of each hour"
      buckets={buckets}
      series={series}
      figure={highest}
      empty="The backlog was empty at each measurement."
    />
  );
}

/** The size of the database over time. */
export function SizeChart({ days, now }: { days: Samples; now: number }) {
  const buckets = bucketsOf(now, DAY_MS, DAYS_SHOWN);
  const values = lookUp(days, buckets, ({ databaseBytes = 0 }) => Math.round(databaseBytes / 1e5) / 10);
  return (
    <Chart
      id="size"
      title="Database size in MB"
      buckets={buckets}
      series={[{ title: 'End of day', look: 'plain', values }]}
      figure={last}
      empty="The size is measured once a minute."
    />
  );
}

/** Stored passes and events per day. The first day has no previous one to compare with, so it shows none. */
export function StoredChart({ days, now }: { days: Samples; now: number }) {
  const buckets = bucketsOf(now, DAY_MS, DAYS_SHOWN);
  const added = (name: 'passesEver' | 'eventsEver') =>
    buckets.map(({ from }) => {
      const at = days.findIndex(({ startsAt }) => startsAt === from);
      return at < 1 ? 0 : Math.max(0, (days[at]!.gauges[name] ?? 0) - (days[at - 1]!.gauges[name] ?? 0));
    });
  return (
    <Chart
      id="stored"
      title="New passes and events per day"
      buckets={buckets}
      series={[
        { title: 'Passes', look: 'plain', values: added('passesEver') },
        { title: 'Events', look: 'hatched', values: added('eventsEver') },
      ]}
      empty="The chart starts on the second day of measuring."
    />
  );
}

/** Returns the last hours or days in UTC, oldest first. */
function bucketsOf(now: number, size: number, count: number): Bucket[] {
  const newest = now - (now % size);
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
  return Array.from({ length: count }, (_, i) => {
    const from = newest - (count - 1 - i) * size;
    const label = size === DAY_MS ? day.format(from) : `${day.format(from)}, ${time.format(from)}`;
    return { from, label, title: label };
  });
}
