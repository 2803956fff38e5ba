import { and, asc, count, eq, gte, isNull, or, type SQL, sql } from 'drizzle-orm';
import { usableConfigurations } from '../app-configurations/find-configuration.ts';
import { appConfigurations } from '../app-configurations/table.ts';
import type { AccountContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { isOfAccount } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { isPermitted } from '../template-restriction.ts';
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

/**
 * One page of a configuration's scans, by the time of scanning. One round trip; a page read by `afterId` costs its own
 * rows at any depth, and `total` without a date is the configuration's kept count. Throws not found for an unknown
 * configuration.
 */
export async function listScans(ctx: AccountContext, query: ScanListQuery): Promise<ScanPage> {
  const { configurationId, pageSize, createdSince } = query;
  const behind = placeOf(ctx, query);
  const selected = selection(ctx, query);
  // The kept number counts scans of all templates.
  const isKept = createdSince === undefined && !ctx.account.templateIds;
  const [[configuration], [counted], rows] = await ctx.db.batch([
    usableQuery(ctx, configurationId),
    // Without a date the number is kept with the configuration, and this statement looks at no row.
    ctx.db
      .select({ total: count() })
      .from(appScans)
      .where(isKept ? sql`false` : selected),
    listedScans(ctx, and(selected, behind))
      .limit(pageSize + 1)
      .offset(behind ? 0 : query.start),
  ]);
  if (!configuration) throw notFound();
  return {
    total: isKept ? configuration.scanCount : (counted?.total ?? 0),
    scans: rows.slice(0, pageSize),
    hasMore: rows.length > pageSize,
  };
}

/** SQL for the scans behind the page before; undefined when the query counts pages by `start`. */
function placeOf(ctx: AccountContext, { afterId, startAt }: ScanListQuery): SQL | undefined {
  if (afterId !== undefined) return isAfter(ctx, afterId);
  return startAt === undefined ? undefined : gte(appScans.createdAt, startAt);
}

const SCANS_READ_AT_ONCE = 1_000;

/**
 * All scans of a configuration by the time of scanning, page by page, so that no more than a page is ever in memory.
 * Throws not found for an unknown configuration, at the first page.
 */
export async function* eachScanPage(
  ctx: AccountContext,
  query: Pick<ScanListQuery, 'configurationId' | 'createdSince'>,
): AsyncGenerator<ListedScan[]> {
  let afterId: string | undefined;
  for (;;) {
    const selected = and(selection(ctx, query), afterId === undefined ? undefined : isAfter(ctx, afterId));
    const [[configuration], scans] = await ctx.db.batch([
      usableQuery(ctx, query.configurationId),
      listedScans(ctx, selected).limit(SCANS_READ_AT_ONCE),
    ]);
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

function listedScans(ctx: AccountContext, selected: SQL | undefined) {
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
  ctx: AccountContext,
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

function usableQuery(ctx: AccountContext, id: string) {
  return ctx.db
    .select()
    .from(appConfigurations)
    .where(and(eq(appConfigurations.id, id), usableConfigurations(ctx)));
}

/** SQL for scans of passes that a restricted key may see, and for those that found none. */
function isOfPermitted(ctx: AccountContext): SQL | undefined {
  const permitted = isPermitted(ctx, passes.templateId);
  if (!permitted) return undefined;
  const isIt = and(eq(passes.id, appScans.passId), isOfAccount(ctx.account.id), permitted);
  return or(isNull(appScans.passId), sql`exists (select 1 from ${passes} where ${isIt})`);
}

/** An undone scan keeps its row, so a page finds its place behind one, too. */
function isAfter(ctx: AccountContext, id: string): SQL {
  const before = sql`(select created_at from ${appScans} where ${and(eq(appScans.id, id), eq(appScans.accountId, ctx.account.id))})`;
  return sql`(${appScans.createdAt}, ${appScans.id}) > (${before}, ${id})`;
}
