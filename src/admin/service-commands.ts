import * as z from 'zod';
import { copyServiceKeys } from '../domain/certificates/copy-service-keys.ts';
import { DATABASE_BYTES_MAX, listDatabases } from '../domain/databases/list-databases.ts';
import { closeForAccounts, openForAccounts } from '../domain/databases/open-database.ts';
import { BACKLOGS, type Backlog, type BacklogName } from '../domain/monitoring/gauges.ts';
import type { ServiceStatus } from '../domain/monitoring/get-service-status.ts';
import {
  ADDRESS_HINT,
  changeAddress,
  getServiceAddress,
  publicOrigin,
} from '../domain/service-settings/change-address.ts';
import { type AdminCommand, command, iso } from './command.ts';

const Named = z.object({ name: z.string() });

/** The databases of the service: docs/operations.md#databases. */
export const DATABASE_COMMANDS: Record<string, AdminCommand> = {
  'database list': command('database list', z.object({}), async (ctx) =>
    (await listDatabases(ctx)).map(({ name, isOpen, bytes, accounts, passes }) => ({
      name,
      bytes,
      limitBytes: DATABASE_BYTES_MAX,
      accounts,
      passes,
      openForNewAccounts: isOpen,
    })),
  ),
  'database open': command('database open --name N', Named, async (ctx, { name }) => {
    await openForAccounts(ctx, name, copyServiceKeys);
    return { name, openForNewAccounts: true };
  }),
  'database close': command('database close --name N', Named, async (ctx, { name }) => {
    await closeForAccounts(ctx, name);
    return { name, openForNewAccounts: false };
  }),
};

const NewAddress = z.object({
  'base-url': z.string().refine((text) => publicOrigin(text) !== undefined, ADDRESS_HINT),
});

/** Settings of the whole service: docs/operations.md#change-the-address. */
export const SERVICE_COMMANDS: Record<string, AdminCommand> = {
  'service show': command('service show', z.object({}), (ctx) => getServiceAddress(ctx)),
  'service update': command('service update --base-url U', NewAddress, async (ctx, { 'base-url': baseUrl }) => {
    await changeAddress(ctx, { baseUrl });
    return getServiceAddress(ctx);
  }),
};

const DAY_MS = 24 * 3_600_000;

/** The state of the service as `status --json` prints it; docs/operations.md describes it. */
export function statusView({
  isHealthy,
  measuredAt,
  alerts,
  now: seen,
  database,
  failedJobTypes,
  days,
}: ServiceStatus) {
  return {
    healthy: isHealthy,
    measuredOn: measuredAt === null ? null : iso(measuredAt),
    alerts: alerts.map(({ raisedAt, ...alert }) => ({ ...alert, raisedOn: iso(raisedAt) })),
    backlog: Object.fromEntries(BACKLOGS.map((name) => [name, backlogView(seen.backlog[name])])) as Record<
      BacklogName,
      ReturnType<typeof backlogView>
    >,
    webhookLagSeconds: seconds(seen.webhookLagMs),
    failedJobs: {
      ...backlogView(seen.failedJobs),
      lastHour: seen.failedJobs.lastHour,
      types: Object.fromEntries(failedJobTypes.map(({ type, count }) => [type, count])),
    },
    failingEndpoints: {
      count: seen.failingEndpoints.count,
      more: seen.failingEndpoints.hasMore,
      longest: seen.failingEndpoints.longest.map(({ failingSince, ...endpoint }) => ({
        ...endpoint,
        failingSince: iso(failingSince),
      })),
    },
    certificates: seen.certificates.map(({ id, accountId, passTypeId, validTo, isDevelopment }) => ({
      certificateId: id,
      accountId,
      passTypeId,
      development: isDevelopment,
      validTo: iso(validTo),
      daysLeft: Math.floor((validTo - seen.at) / DAY_MS),
    })),
    database: {
      ...database,
      bytesPerDay: database.bytesPerDay === null ? null : Math.round(database.bytesPerDay),
      days: days.map(({ startsAt, gauges }) => ({
        day: iso(startsAt).slice(0, 10),
        bytes: gauges.databaseBytes ?? 0,
        passesEver: gauges.passesEver ?? 0,
        eventsEver: gauges.eventsEver ?? 0,
      })),
    },
  };
}

export type StatusView = ReturnType<typeof statusView>;

function backlogView({ waiting, hasMore, oldestMs }: Backlog) {
  return { waiting, more: hasMore, oldestSeconds: oldestMs === null ? null : seconds(oldestMs) };
}

function seconds(millis: number): number {
  return Math.round(millis / 1_000);
}
