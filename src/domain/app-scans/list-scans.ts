import { and, asc, count, eq, gte, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import { type BatchPart, readPart } from '../../platform/batch-part.ts';
import { usableConfigurations } from '../app-configurations/find-configuration.ts';
import { type AppConfiguration, appConfigurations } from '../app-configurations/table.ts';
import type { AccountContext, Owner } from '../context.ts';
import { notFound } from '../errors.ts';
import { isOfAccount } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { isPermitted, isUnrestricted, whereRestricted } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { type AppScan, appScans } from './table.ts';

export interface ScanListQuery {
  configurationId: string;
  /** UTC milliseconds. */
  createdSince?: number;
  /** Number of scans to skip; used only without `afterId` and `startAt`. */
  start: number;
  pageSize: number;
  /** Identifier of the last scan of the previous page. */
  afterId?: string;
  /** Start of the page without `afterId`: the first scan of this time or later, UTC milliseconds. */
  startAt?: number;
}

/**
 * A scan with its current pass; null if it has none, or it was deleted. For a restricted key, a scan without a pass has
 * no values, because they may be those of another template's pass.
 */
export interface ListedScan {
  scan: AppScan;
  pass: Pick<
    typeof passes.$inferSelect,
    'generatedId' | 'userProvidedId' | 'barcodeValue' | 'properties' | 'voided' | 'templateId'
  > | null;
  templateName: string | null;
}

export interface ScanPage {
  /** Scans that the query selects, on all pages. */
  total: number;
  scans: ListedScan[];
  hasMore: boolean;
}

/** Results of the queries of a page. */
export interface ScanListRead {
  configuration?: AppConfiguration;
  /** Null: the count stored with the configuration applies. */
  counted: number | null;
  rows: ListedScan[];
}

/** Builds the queries of one page of a configuration's scans; `listScans` turns their results into the page. */
export function scanListPart(owner: Owner, query: ScanListQuery): BatchPart<ScanListRead> {
  const { db } = owner;
  const behind = placeOf(owner, query);
  const selected = selection(owner, query);
  // Without a date, the count is stored with the configuration, but only for scans of all templates.
  const isKept = query.createdSince === undefined ? isUnrestricted(owner) : sql`false`;
  const counted = sql<number>`case when ${isKept} then null else (select ${count()} from ${appScans} where ${selected}) end`;
  return {
    queries: [
      usableQuery(owner, query.configurationId),
      db.select({ counted: counted.as('counted') }).from(sql`(select 1)`),
      listedScans(owner, and(selected, behind))
        .limit(query.pageSize + 1)
        .offset(behind ? 0 : query.start),
    ],
    read(results) {
      const [[configuration], [total], rows] = results as [
        AppConfiguration[],
        { counted: number | null }[],
        ReadScan[],
      ];
      return { configuration, counted: total!.counted, rows: rows.map(withoutForeignValues) };
    },
  };
}

/**
 * Returns one page of a configuration's scans, by scan time. Round trips: one, or none with the results of
 * `scanListPart`. A page after `afterId` costs only its own rows, and `total` without a date is the stored count.
 * Throws not found for an unknown configuration.
 */
export async function listScans(ctx: AccountContext, query: ScanListQuery, read?: ScanListRead): Promise<ScanPage> {
  const { pageSize } = query;
  const { configuration, counted, rows } = read ?? (await readPart(ctx.db, scanListPart(ctx, query)));
  if (!configuration) throw notFound();
  return {
    total: counted ?? configuration.scanCount,
    scans: rows.slice(0, pageSize),
    hasMore: rows.length > pageSize,
  };
}

/** Builds the condition for scans after the previous page; undefined if the query pages by `start`. */
function placeOf(ctx: Owner, { afterId, startAt }: ScanListQuery): SQL | undefined {
  if (afterId !== undefined) return isAfter(ctx, afterId);
  return startAt === undefined ? undefined : gte(appScans.createdAt, startAt);
}

/** With the longest values of scans and their passes, a page has 21 million characters. */
const SCANS_READ_AT_ONCE = 250;

/** Query for all scans of a configuration since a time. */
type ScanRunQuery = Pick<ScanListQuery, 'configurationId' | 'createdSince'>;
type ScanRunRead = [configuration: AppConfiguration | undefined, scans: ListedScan[]];

/** Builds the queries of a page of `eachScanPage`, after a scan or from the start. */
export function scanRunPart(owner: Owner, query: ScanRunQuery, afterId?: string): BatchPart<ScanRunRead> {
  const selected = and(selection(owner, query), afterId === undefined ? undefined : isAfter(owner, afterId));
  return {
    queries: [usableQuery(owner, query.configurationId), listedScans(owner, selected).limit(SCANS_READ_AT_ONCE)],
    read(results) {
      const [[configuration], scans] = results as [AppConfiguration[], ReadScan[]];
      return [configuration, scans.map(withoutForeignValues)];
    },
  };
}

/**
 * Yields all scans of a configuration by scan time, with only one page in memory. `first` is the result of
 * `scanRunPart`. Throws not found for an unknown configuration, at the first page.
 */
export async function* eachScanPage(
  ctx: AccountContext,
  query: ScanRunQuery,
  first?: ScanRunRead,
): AsyncGenerator<ListedScan[]> {
  let read = first;
  let afterId: string | undefined;
  for (;;) {
    const [configuration, scans] = read ?? (await readPart(ctx.db, scanRunPart(ctx, query, afterId)));
    read = undefined;
    if (!configuration) {
      // Deleted during the read: the remaining scans no longer belong to anyone.
      if (afterId !== undefined) return;
      throw notFound();
    }
    yield scans;
    if (scans.length < SCANS_READ_AT_ONCE) return;
    afterId = scans.at(-1)!.scan.id;
  }
}

/** A row of `listedScans`. */
type ReadScan = ListedScan & { areValuesHidden: number };

function withoutForeignValues({ areValuesHidden, ...listed }: ReadScan): ListedScan {
  if (!areValuesHidden) return listed;
  return {
    ...listed,
    scan: { ...listed.scan, scannedBarcodeValue: null, storedValue: null, additionalProperties: {} },
  };
}

function listedScans(ctx: Owner, selected: SQL | undefined) {
  const { generatedId, userProvidedId, barcodeValue, properties, voided, templateId } = passes;
  return ctx.db
    .select({
      scan: appScans,
      pass: { generatedId, userProvidedId, barcodeValue, properties, voided, templateId },
      templateName: templates.name,
      areValuesHidden: sql<number>`(${appScans.passId} is null and not ${isUnrestricted(ctx)})`.as('are_values_hidden'),
    })
    .from(appScans)
    .leftJoin(passes, eq(passes.id, appScans.passId))
    .leftJoin(templates, eq(templates.id, passes.templateId))
    .where(selected)
    .orderBy(asc(appScans.createdAt), asc(appScans.id))
    .$dynamic();
}

/** Builds the condition for a configuration's scans. A foreign one selects nothing, without reading its scans. */
function selection(
  ctx: Owner,
  { configurationId, createdSince }: Pick<ScanListQuery, 'configurationId' | 'createdSince'>,
): SQL | undefined {
  const own = sql`(select ${appConfigurations.id} from ${appConfigurations}
    where ${and(eq(appConfigurations.id, configurationId), usableConfigurations(ctx))})`;
  return and(
    eq(appScans.configurationId, own),
    createdSince === undefined ? undefined : gte(appScans.createdAt, createdSince),
    isNull(appScans.undoneAt),
    isOfPermitted(ctx),
  );
}

function usableQuery(ctx: Owner, id: string) {
  return ctx.db
    .select()
    .from(appConfigurations)
    .where(and(eq(appConfigurations.id, id), usableConfigurations(ctx)));
}

/**
 * Builds the condition for scans of passes visible to a restricted key, and for scans without a pass, except those of
 * another template's pass.
 */
function isOfPermitted(ctx: Owner): SQL | undefined {
  const isTarget = and(
    eq(passes.id, appScans.passId),
    isOfAccount(ctx.account.id),
    isPermitted(ctx, passes.templateId),
  );
  return whereRestricted(ctx, () =>
    or(
      and(isNull(appScans.passId), ne(appScans.reason, 'uncovered')),
      sql`exists (select 1 from ${passes} where ${isTarget})`,
    ),
  );
}

/** Builds the condition for scans after another one, which may be undone, because it keeps its row. */
function isAfter(ctx: Owner, id: string): SQL {
  const before = sql`(select created_at from ${appScans} where ${and(eq(appScans.id, id), eq(appScans.accountId, ctx.account.id))})`;
  return sql`(${appScans.createdAt}, ${appScans.id}) > (${before}, ${id})`;
}
