import { type SQL, sql } from 'drizzle-orm';
import { rawStatement } from '../../platform/raw-statement.ts';
import { accounts } from '../accounts/table.ts';
import { certificates } from '../certificates/table.ts';
import type { Context } from '../context.ts';
import { forEachDatabase } from '../databases/list-databases.ts';

const DAY_MS = 24 * 3_600_000;
/** Certificates that expired longer ago are left out. */
const ENDED_MS = 30 * DAY_MS;
/** Certificates in one page of a list, and those that are counted in a measurement. */
const PAGE_ROWS = 100;
const COUNTED_MAX = 1_000;

export interface EndingCertificate {
  id: string;
  /** Null: the service's own. */
  accountId: string | null;
  accountName: string | null;
  passTypeId: string;
  validTo: number;
  /** Whether it belongs to a local service; phones refuse it anyway. */
  isDevelopment: boolean;
}

/** Numbers of days before the end of a certificate at which operators get an alert. */
export const ALERT_DAYS = [7, 30] as const;
export type AlertDays = (typeof ALERT_DAYS)[number];

/** Numbers of certificates of accounts that expire within these days, or have expired. */
export type EndingCounts = Record<AlertDays, number>;

const nameOf = (accountId: SQL) => sql`(select name from ${accounts} where ${accounts.id} = ${accountId})`;

/**
 * Whether no longer valid certificate of the same owner and pass type has replaced it: those sign nothing. They don't
 * count towards limits, because a service with many accounts always has some of the last months.
 */
const IS_IN_USE = sql`not exists (select 1 from ${certificates} as other
  where other.account_id is one.account_id and other.pass_type_id = one.pass_type_id
    and other.valid_to > one.valid_to)`;

const IS_OF_ACCOUNT = sql`account_id is not null`;

/** Place of a certificate in the order of their ends: its end and row number. */
type Place = [validTo: number, key: number];

type EndingRow = Omit<EndingCertificate, 'isDevelopment'> & { isDevelopment: number; key: number };

/** Builds the query for the certificates that expire next, at most `limit`, after a place, and of an owner if given. */
export function endingCertificates(ctx: Context, limit: number, [validTo, key]: Place, owned = sql`true`) {
  return rawStatement<EndingRow>(
    ctx.db,
    sql`select one.rowid as key, id, account_id as "accountId", ${nameOf(sql`account_id`)} as "accountName", pass_type_id as "passTypeId",
        valid_to as "validTo", development as "isDevelopment"
      from ${certificates} as one
      where valid_to >= ${validTo} and (valid_to > ${validTo} or one.rowid > ${key}) and ${owned} and ${IS_IN_USE}
      order by valid_to, one.rowid limit ${limit}`,
  );
}

/** Builds the query for the service's own certificates, which those of accounts can hide in a measurement. */
export function serviceCertificatesQuery(ctx: Context, now: number) {
  return endingCertificates(ctx, PAGE_ROWS, firstListed(now), sql`account_id is null`);
}

/** Returns the place before the first certificate that is listed. */
export function firstListed(now: number): Place {
  return [now - ENDED_MS, 0];
}

/**
 * Counts certificates of accounts for alerts. `listed` are the first to expire, at most `limit`, of accounts and of the
 * service. If there may be more, it takes a round trip.
 */
export async function countEnding(
  ctx: Context,
  listed: EndingCertificate[],
  limit: number,
  now: number,
): Promise<EndingCounts> {
  const [soon, later] = ALERT_DAYS.map((days) => now + days * DAY_MS) as [number, number];
  if (listed.length < limit || listed.at(-1)!.validTo >= later) {
    const own = listed.filter((one) => !one.isDevelopment && one.accountId !== null);
    const before = (end: number) => own.filter(({ validTo }) => validTo < end).length;
    return { 7: before(soon), 30: before(later) };
  }
  const [counts] = await rawStatement<{ soon: number; later: number }>(
    ctx.db,
    sql`select count(*) filter (where valid_to < ${soon}) as soon, count(*) as later
      from (select valid_to from ${certificates} as one
        where valid_to > ${now - ENDED_MS} and valid_to < ${later} and not development
          and ${IS_OF_ACCOUNT} and ${IS_IN_USE}
        order by valid_to limit ${COUNTED_MAX})`,
  );
  return { 7: counts!.soon, 30: counts!.later };
}

/**
 * Lists all certificates of accounts that expire within `days`, page by page in each database, the first to expire
 * first.
 */
export async function listEnding(ctx: Context, days: AlertDays, now: number): Promise<EndingCertificate[]> {
  const found = await forEachDatabase(ctx, (there) => listHere(there, now + days * DAY_MS, now));
  // An account that has just moved is in two databases.
  const byId = new Map(found.flat().map((one) => [one.id, one]));
  return [...byId.values()].sort((one, other) => one.validTo - other.validTo);
}

async function listHere(ctx: Context, until: number, now: number): Promise<EndingCertificate[]> {
  const listed: EndingCertificate[] = [];
  for (let after = firstListed(now); ; ) {
    const page = await endingCertificates(ctx, PAGE_ROWS, after, IS_OF_ACCOUNT);
    const ending = page.filter(({ validTo }) => validTo < until);
    listed.push(...ending.map(toEnding).filter(({ isDevelopment }) => !isDevelopment));
    if (ending.length < PAGE_ROWS) return listed;
    const { validTo, key } = ending.at(-1)!;
    after = [validTo, key];
  }
}

/** Converts a row of `endingCertificates`. */
export function toEnding({ key: _, ...row }: EndingRow): EndingCertificate {
  return { ...row, isDevelopment: Boolean(row.isDevelopment) };
}
