import { and, eq, inArray, isNotNull, lt, or, sql } from 'drizzle-orm';
import { endDeletion, isDeleted, type NamedConfiguration } from '../app-configurations/delete-configuration.ts';
import type { AccountContext, Context } from '../context.ts';
import { enqueue } from '../enqueue.ts';
import { ALL, PAGE_ROWS, purge, RUN_PAGES_MAX, runInPages } from '../purge.ts';
import { appScans } from './table.ts';

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
  const none = { scannedBarcodeValue: null, storedValue: null, storedValueBefore: null, storedValueAfter: null };
  const values = { ...none, additionalProperties: {} };
  const erase = () => ctx.db.update(appScans).set(values).where(sql`${appScans.id} in ${page}`);
  await runInPages(async () => (await erase()).meta.changes, ALL);
}

/** Deletes the scans of an account before a time (UTC milliseconds), page by page. */
export async function purgeScansOf(ctx: AccountContext, before: number): Promise<void> {
  const { accountId, createdAt } = appScans;
  await purge(ctx, appScans, and(eq(accountId, ctx.account.id), lt(createdAt, before))!);
}
