import { type Context, inDatabase } from '../context.ts';
import { usedDatabases } from '../databases/list-databases.ts';
import { DIRECTORY } from '../shard-map.ts';
import { BACKLOGS, type Backlog, gaugeStatements, LISTED_MAX, type Measurement, measurementOf } from './gauges.ts';

/**
 * Adds what the other databases show to what was measured in the first: numbers add up, and of ages, and sizes of
 * databases, the largest counts. One round trip for each of them.
 */
export async function measureOthers(ctx: Context, first: Measurement): Promise<Measurement> {
  let all = first;
  // One after the other: the size of a database comes with its answer.
  for (const { name } of await usedDatabases(ctx)) {
    if (name === DIRECTORY) continue;
    const there = inDatabase(ctx, name);
    const results = await there.db.batch(gaugeStatements(there, first.at));
    all = together(all, measurementOf(there, results, first.at));
  }
  return all;
}

function together(a: Measurement, b: Measurement): Measurement {
  // Each database has the certificates of the service.
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
    databaseBytes: Math.max(a.databaseBytes, b.databaseBytes),
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
