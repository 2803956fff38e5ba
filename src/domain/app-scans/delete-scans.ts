import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { uncountScans } from '../app-configurations/count-scans.ts';
import { endDeletion, isDeleted, type NamedConfiguration } from '../app-configurations/delete-configuration.ts';
import type { AccountContext, Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { isNotCopy } from '../moved.ts';
import { ALL, PAGE_ROWS, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import { type AppScan, appScans } from './table.ts';

/**
 * Job: removes the scans of a deleted configuration page by page, and then the configuration. A repeated delivery finds
 * only what is left; an existing configuration keeps its scans.
 */
export async function deleteScans(ctx: Context, named: NamedConfiguration): Promise<void> {
  const { accountId, configurationId } = named;
  const page = ctx.db
    .select({ id: appScans.id })
    .from(appScans)
    .where(and(eq(appScans.configurationId, configurationId), isDeleted(named)))
    .limit(PAGE_ROWS);
  for (let pages = 0; pages < RUN_PAGES_MAX; pages++) {
    const deleted = await ctx.db.delete(appScans).where(inArray(appScans.id, page)).returning({ id: appScans.id });
    if (deleted.length < PAGE_ROWS) {
      await endDeletion(ctx, named);
      return;
    }
  }
  await enqueue(ctx, [{ type: 'delete-app-scans', accountId, configurationId }]);
}

/** Erases the values in scans of deleted passes. The scans stay, with their time, place and result. */
export async function eraseScansOf(ctx: Context, passIds: string[]): Promise<void> {
  const ofPasses = sql`${appScans.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
  const hasValues = or(
    isNotNull(appScans.scannedBarcodeValue),
    sql`${appScans.additionalProperties} <> '{}'`,
    isNotNull(appScans.storedValue),
    isNotNull(appScans.storedValueBefore),
    isNotNull(appScans.storedValueAfter),
  );
  const page = ctx.db.select({ id: appScans.id }).from(appScans).where(and(ofPasses, hasValues)).limit(PAGE_ROWS);
  const erase = () => ctx.db.update(appScans).set(NO_VALUES).where(sql`${appScans.id} in ${page}`);
  await runInPages(async () => (await erase()).meta.changes, ALL);
}

const NO_VALUES = {
  scannedBarcodeValue: null,
  storedValue: null,
  storedValueBefore: null,
  storedValueAfter: null,
  additionalProperties: {},
};

/** A scan of a code that named no pass of its configuration then. */
export type CodeScan = Pick<AppScan, 'id' | 'createdAt'>;

/**
 * Returns scans without a pass of one of the codes, or of a code with a one-time code behind it, apart from those in
 * `without`. Served by `app_scans_by_code`.
 */
export function listScansOfCodes(
  ctx: Context,
  accountId: string,
  { codes, without, limit }: { codes: string[]; without: string[]; limit: number },
): Promise<CodeScan[]> {
  const isTarget = sql`scan.account_id = ${accountId} and scan.pass_id is null and scan.scanned_barcode_value is not null
    and scan.id not in (select value from json_each(${JSON.stringify(without)}))`;
  const named = sql`json_each(${JSON.stringify(codes)}) as code cross join ${appScans} as scan`;
  const isTimed = sql`scan.scanned_barcode_value > code.value || '.' and scan.scanned_barcode_value < code.value || '/'
    and substr(scan.scanned_barcode_value, length(code.value) + 2) not glob '*[^0-9]*'
    and length(scan.scanned_barcode_value) - length(code.value) between 7 and 9`;
  const found = sql`select scan.id as id, scan.created_at as created_at from ${named}
      where ${isTarget} and scan.scanned_barcode_value = code.value
    union select scan.id, scan.created_at from ${named} where ${isTarget} and ${isTimed} limit ${limit}`;
  return ctx.db
    .select({ id: sql<string>`id`.as('id'), createdAt: sql<number>`created_at`.as('created_at') })
    .from(sql`(${found})`);
}

/** Erases the values of scans without a pass. */
export async function eraseCodeScans(ctx: Context, accountId: string, ids: string[]): Promise<void> {
  const isTarget = and(
    sql`${appScans.id} in (select value from json_each(${JSON.stringify(ids)}))`,
    eq(appScans.accountId, accountId),
    isNull(appScans.passId),
  );
  await ctx.db.update(appScans).set(NO_VALUES).where(isTarget);
}

/** Deletes the scans of an account before a time (UTC milliseconds), page by page. */
export async function purgeScansOf(ctx: AccountContext, before: number): Promise<void> {
  const { accountId, createdAt, id } = appScans;
  const isOld = and(eq(accountId, ctx.account.id), lt(createdAt, before), isNotCopy(accountId));
  // In the order of an index, so that both statements find the same scans.
  const page = sql`(select * from ${appScans} where ${isOld} order by ${createdAt}, ${id} limit ${PAGE_ROWS})`;
  const deletion = ctx.db.delete(appScans).where(sql`${id} in (select id from ${page})`);
  const run = async () => (await ctx.db.batch([uncountScans(ctx, page), deletion]))[1].meta.changes;
  await runInPages(run, { enough: PAGE_ROWS });
}
