import { and, isNotNull, or, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { ALL, inPages, PAGE_ROWS } from '../purge.ts';
import { appScans } from './table.ts';

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
  const page = ctx.db.select({ id: appScans.id }).from(appScans).where(and(ofPasses, hasValues)).limit(PAGE_ROWS);
  const none = { scannedBarcodeValue: null, storedValue: null, storedValueBefore: null, storedValueAfter: null };
  const values = { ...none, additionalProperties: {} };
  const erase = () => ctx.db.update(appScans).set(values).where(sql`${appScans.id} in ${page}`);
  await inPages(async () => (await erase()).meta.changes, ALL);
}
