import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import { endDeletion, isDeleted } from '../app-configurations/delete-configuration.ts';
import { type Context, enqueue } from '../context.ts';
import { appScans } from './table.ts';

const PAGE_SCANS = 1_000;
/** Pages of one job; then another job goes on, so that none runs long. */
const PAGES_MAX = 20;

/** Job: page by page, then the configuration goes. A second delivery finds what is left. */
export async function deleteScans(ctx: Context, configurationId: string): Promise<void> {
  const page = ctx.db
    .select({ id: appScans.id })
    .from(appScans)
    .where(and(eq(appScans.configurationId, configurationId), isDeleted(configurationId)))
    .limit(PAGE_SCANS);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const deleted = await ctx.db.delete(appScans).where(inArray(appScans.id, page)).returning({ id: appScans.id });
    if (deleted.length < PAGE_SCANS) {
      await endDeletion(ctx, configurationId);
      return;
    }
  }
  await enqueue(ctx, [{ type: 'delete-app-scans', configurationId }]);
}

/** Erases the values that scans of deleted passes hold; that they took place, when, where and how they ended stays. */
export async function eraseScansOf(ctx: Context, passIds: string[]): Promise<void> {
  const ofPasses = sql`${appScans.passId} in (select value from json_each(${JSON.stringify(passIds)}))`;
  const hasValues = or(
    isNotNull(appScans.scannedBarcodeValue),
    sql`${appScans.additionalProperties} <> '{}'`,
    isNotNull(appScans.storedValue),
    isNotNull(appScans.storedValueBefore),
    isNotNull(appScans.storedValueAfter),
  );
  const page = ctx.db.select({ id: appScans.id }).from(appScans).where(and(ofPasses, hasValues)).limit(PAGE_SCANS);
  for (;;) {
    const { meta } = await ctx.db
      .update(appScans)
      .set({
        scannedBarcodeValue: null,
        additionalProperties: {},
        storedValue: null,
        storedValueBefore: null,
        storedValueAfter: null,
      })
      .where(sql`${appScans.id} in ${page}`);
    if (meta.changes < PAGE_SCANS) return;
  }
}
