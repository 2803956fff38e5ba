import { and, asc, count, eq, gte, isNull, or, type SQL, sql } from 'drizzle-orm';
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
  /** Number of scans before the page; used only without `afterId` and `startAt`. */
  start: number;
  pageSize: number;
  /** Identifier of the last scan of the page before. */
  afterId?: string;
  /** Where the page starts without `afterId`: at the first scan of this time or later, UTC milliseconds. */
  startAt?: number;
}

/** A scan with its pass as it is now; null when there is none, or no longer. */
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

/** A page of scans as the queries find it. */
export interface ScanListRead {
  configuration?: AppConfiguration;
  /** Null: the number that is kept with the configuration is the one. */
  counted: number | null;
  rows: ListedScan[];
}

/** The queries of one page of a configuration's scans; `listScans` makes the page of what they find. */
export function scanListPart(owner: Owner, query: ScanListQuery): BatchPart<ScanListRead> {
  const { db } = owner;
  const behind = placeOf(owner, query);
  const selected = selection(owner, query);
  // Without a date the number is kept with the configuration, but for scans of all templates.
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
        ListedScan[],
      ];
      return { configuration, counted: total!.counted, rows };
    },
  };
}

/**
 * One page of a configuration's scans, by the time of scanning. One round trip, none with what `scanListPart` has
 * `read`. A page read by `afterId` costs its own rows at any depth, and `total` without a date is the configuration's
 * kept count. Throws not found for an unknown configuration.
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

/** SQL for the scans behind the page before; undefined when the query counts pages by `start`. */
function placeOf(ctx: Owner, { afterId, startAt }: ScanListQuery): SQL | undefined {
  if (afterId !== undefined) return isAfter(ctx, afterId);
  return startAt === undefined ? undefined : gte(appScans.createdAt, startAt);
}

const SCANS_READ_AT_ONCE = 1_000;

/** All scans of a configuration, from a time on. */
type ScanRunQuery = Pick<ScanListQuery, 'configurationId' | 'createdSince'>;
type ScanRunRead = [configuration: AppConfiguration | undefined, scans: ListedScan[]];

/** The queries of a page of `eachScanPage`, behind a scan or the first one. */
export function scanRunPart(owner: Owner, query: ScanRunQuery, afterId?: string): BatchPart<ScanRunRead> {
  const selected = and(selection(owner, query), afterId === undefined ? undefined : isAfter(owner, afterId));
  return {
    queries: [usableQuery(owner, query.configurationId), listedScans(owner, selected).limit(SCANS_READ_AT_ONCE)],
    read(results) {
      const [[configuration], scans] = results as [AppConfiguration[], ListedScan[]];
      return [configuration, scans];
    },
  };
}

/**
 * All scans of a configuration by the time of scanning, page by page, so that no more than a page is ever in memory.
 * `first` is what `scanRunPart` has read. Throws not found for an unknown configuration, at the first page.
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
      // Deleted while it was being read: what is left of it is nobody's any more.
      if (afterId !== undefined) return;
      throw notFound();
    }
    yield scans;
    if (scans.length < SCANS_READ_AT_ONCE) return;
    afterId = scans.at(-1)!.scan.id;
  }
}

function listedScans(ctx: Owner, selected: SQL | undefined) {
  const { generatedId, userProvidedId, barcodeValue, properties, voided, templateId } = passes;
  return ctx.db
    .select({
      scan: appScans,
      pass: { generatedId, userProvidedId, barcodeValue, properties, voided, templateId },
      templateName: templates.name,
    })
    .from(appScans)
    .leftJoin(passes, eq(passes.id, appScans.passId))
    .leftJoin(templates, eq(templates.id, passes.templateId))
    .where(selected)
    .orderBy(asc(appScans.createdAt), asc(appScans.id))
    .$dynamic();
}

/** A foreign configuration selects nothing, and costs nothing: its scans are never looked at. */
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

/** SQL for scans of passes that a restricted key may see, and for those that found none. */
function isOfPermitted(ctx: Owner): SQL | undefined {
  const isIt = and(eq(passes.id, appScans.passId), isOfAccount(ctx.account.id), isPermitted(ctx, passes.templateId));
  return whereRestricted(ctx, () => or(isNull(appScans.passId), sql`exists (select 1 from ${passes} where ${isIt})`));
}

/** An undone scan keeps its row, so a page finds its place behind one, too. */
function isAfter(ctx: Owner, id: string): SQL {
  const before = sql`(select created_at from ${appScans} where ${and(eq(appScans.id, id), eq(appScans.accountId, ctx.account.id))})`;
  return sql`(${appScans.createdAt}, ${appScans.id}) > (${before}, ${id})`;
}
