import { and, desc, eq, gte, inArray, isNull, lt, notInArray, type SQL, sql } from 'drizzle-orm';
import { ownConfigurations } from '../app-configurations/find-configuration.ts';
import { appConfigurations, type ScanProperty } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { type AppScan, appScans, type ScanReason, storedNames } from './table.ts';

/** Statuses from the service; callers may send others. */
export const OWN_STATUSES = [0, 1, 2, 3];

/** Position of a scan in lists. */
export type ScanPlace = Pick<AppScan, 'createdAt' | 'id'>;

export interface ScanFilter {
  /** Absent: all configurations of the account. */
  configurationId?: string;
  /** One status, or `other` for those that only callers send. */
  status?: number | 'other';
  reason?: ScanReason;
  /** UTC milliseconds; `until` is exclusive. */
  since?: number;
  until?: number;
}

/** A scan in the console, with its current configuration and pass. */
export interface ScanDetails {
  scan: AppScan;
  /** Null if the configuration is gone. */
  configurationName: string | null;
  questions: ScanProperty[];
  pass: { userProvidedId: string | null; generatedId: string; isFlight: number } | null;
  templateName: string | null;
}

export interface FoundScans {
  /** Newest first. */
  scans: ScanDetails[];
  /** Position after which the search continues; absent at the end. Without scans, the search found none up to here. */
  next?: ScanPlace;
}

/**
 * Maximum number of scans that one call reads for a status or a reason, so that a rare one doesn't read the whole
 * table.
 */
const LOOKED_AT_MAX = 1_000;

/**
 * Returns one page of the account's scans that weren't undone, newest first, after the place `before`. One round trip.
 * Reads the rows of the page, or at most 1,000 scans for a status or a reason. A foreign configuration has none.
 */
export async function searchScans(
  ctx: AccountContext,
  { limit, before, ...filter }: ScanFilter & { limit: number; before?: ScanPlace },
): Promise<FoundScans> {
  const isFiltered = filter.status !== undefined || filter.reason !== undefined;
  const window = isFiltered ? Math.max(LOOKED_AT_MAX, limit + 1) : limit + 1;
  const looked = ctx.db
    .select({ id: appScans.id })
    .from(appScans)
    .where(selection(ctx, filter, before))
    .orderBy(desc(appScans.createdAt), desc(appScans.id));
  const [rows, [end]] = await ctx.db.batch([
    ctx.db
      .select({
        scan: appScans,
        configurationName: sql<string | null>`${appConfigurations.name}`.as('configuration_name'),
        questions: sql<string | null>`${appConfigurations.additionalProperties}`.as('questions'),
        // Drizzle treats an object whose first column is null as a row that the join didn't find.
        pass: {
          generatedId: passes.generatedId,
          userProvidedId: passes.userProvidedId,
          isFlight: sql<number>`${passes.flight} is not null`.as('is_flight'),
        },
        templateName: templates.name,
      })
      .from(appScans)
      .leftJoin(appConfigurations, eq(appConfigurations.id, appScans.configurationId))
      .leftJoin(passes, eq(passes.id, appScans.passId))
      .leftJoin(templates, eq(templates.id, passes.templateId))
      .where(and(inArray(appScans.id, looked.limit(window)), hasOutcome(filter)))
      .orderBy(desc(appScans.createdAt), desc(appScans.id))
      .limit(limit + 1),
    // Position that a search reached after its maximum number of scans.
    ctx.db
      .select({ createdAt: appScans.createdAt, id: appScans.id })
      .from(appScans)
      .where(isFiltered ? selection(ctx, filter, before) : sql`false`)
      .orderBy(desc(appScans.createdAt), desc(appScans.id))
      .limit(1)
      .offset(window - 1),
  ]);
  const scans = rows
    .slice(0, limit)
    .map(({ questions, ...row }) => ({ ...row, questions: JSON.parse(questions ?? '[]') }));
  return { scans, next: rows.length > limit ? scans.at(-1)!.scan : end };
}

/** Each scan comes with the questions of its configuration, up to 60,000 characters. */
const SCANS_READ_AT_ONCE = 250;

/** Yields all scans that a filter selects, newest first, with only one page in memory. */
export async function* eachScanPage(ctx: AccountContext, filter: ScanFilter): AsyncGenerator<ScanDetails[]> {
  let before: ScanPlace | undefined;
  do {
    const page = await searchScans(ctx, { ...filter, limit: SCANS_READ_AT_ONCE, before });
    yield page.scans;
    before = page.next;
  } while (before);
}

/**
 * Returns the number of scans that weren't undone, of one configuration or all. Sums stored counts, one row per
 * configuration.
 */
export async function scanTotal(ctx: AccountContext, configurationId?: string): Promise<number> {
  const [row] = await scanTotalQuery(ctx, configurationId);
  return row?.total ?? 0;
}

/** Builds the query of `scanTotal`. */
export function scanTotalQuery(ctx: AccountContext, configurationId?: string) {
  return ctx.db
    .select({ total: sql<number>`coalesce(sum(${appConfigurations.scanCount}), 0)` })
    .from(appConfigurations)
    .where(
      and(
        ownConfigurations(ctx),
        configurationId === undefined ? undefined : eq(appConfigurations.id, configurationId),
      ),
    );
}

function selection(ctx: AccountContext, filter: ScanFilter, before?: ScanPlace): SQL | undefined {
  const { configurationId, since, until } = filter;
  const own = sql`(select ${appConfigurations.id} from ${appConfigurations}
    where ${and(eq(appConfigurations.id, configurationId ?? ''), ownConfigurations(ctx))})`;
  return and(
    configurationId === undefined ? eq(appScans.accountId, ctx.account.id) : eq(appScans.configurationId, own),
    isNull(appScans.undoneAt),
    since === undefined ? undefined : gte(appScans.createdAt, since),
    until === undefined ? undefined : lt(appScans.createdAt, until),
    before && sql`(${appScans.createdAt}, ${appScans.id}) < (${before.createdAt}, ${before.id})`,
  );
}

function hasOutcome({ status, reason }: ScanFilter): SQL | undefined {
  const hasStatus =
    status === 'other'
      ? notInArray(appScans.scanStatus, OWN_STATUSES)
      : status === undefined
        ? undefined
        : eq(appScans.scanStatus, status);
  // Stored names, including old ones: the encoding of the column only knows the new ones.
  const names =
    reason &&
    sql.join(
      storedNames(reason).map((name) => sql`${name}`),
      sql`, `,
    );
  return and(hasStatus, names && sql`${appScans.reason} in (${names})`);
}
