import { and, eq, inArray, sql } from 'drizzle-orm';
import { slicesOf } from '../../platform/chunks.ts';
import { timeOf } from '../../platform/ids.ts';
import { eraseCodeScans, listScansOfCodes } from '../app-scans/delete-scans.ts';
import type { Context } from '../context.ts';
import { aboutScans, eraseEvents } from '../events/erase-events.ts';
import { IS_OWN_BARCODE } from '../passes/find-pass.ts';
import { isNamedIn } from '../passes/own-pass.ts';
import { passes } from '../passes/table.ts';
import { eraseAnswersTo, isUndelivered } from '../webhooks/erase-deliveries.ts';

/** Names per query; D1 binds a hundred parameters. */
const NAMES_AT_ONCE = 90;

/** Names of erased passes, some of which may be missing, and the identifiers of these passes. */
export interface ErasedNames {
  names: (string | null)[];
  passIds: string[];
}

/** Returns the distinct names that aren't missing or empty. */
function presentNames(names: ErasedNames['names']): string[] {
  return [...new Set(names.filter((name) => name !== null).filter((name) => name !== ''))];
}

/** Returns the names that no other pass of the account has; those in `passIds`, anonymized ones too, don't count. */
export async function findUnusedNames(
  ctx: Context,
  accountId: string,
  { names: given, passIds }: ErasedNames,
): Promise<string[]> {
  const others = sql`${passes.id} not in (select value from json_each(${JSON.stringify(passIds)}))`;
  const names = presentNames(given);
  const taken = new Set<string | null>();
  for (const some of slicesOf(names, NAMES_AT_ONCE)) {
    for (const column of [passes.userProvidedId, passes.barcodeValue, passes.generatedId]) {
      const isOwnBarcode = column === passes.barcodeValue ? IS_OWN_BARCODE : undefined;
      const isOwn = column === passes.generatedId ? eq(passes.accountId, accountId) : isNamedIn(accountId);
      const rows = await ctx.db
        .select({ name: column })
        .from(passes)
        .where(and(isOwn, inArray(column, some), isOwnBarcode, others));
      for (const { name } of rows) taken.add(name);
    }
  }
  return names.filter((name) => !taken.has(name));
}

/** Scans per page: for each, the events of a minute are searched. */
const PAGE_SCANS = 100;
/** Far more than the time between a scan's request and its event. */
const EVENT_MS_MAX = 60_000;

/**
 * Erases the values of scans that have an erased pass's code but not the pass: at a configuration for other templates,
 * or before its creation. Names that another pass has don't count. `isPatient`: a scan keeps its values while its event
 * is undelivered. Returns whether there is such a scan. Usually one round trip.
 */
export async function eraseScansWithoutPass(
  ctx: Context,
  accountId: string,
  erased: ErasedNames,
  { isPatient }: { isPatient: boolean },
): Promise<boolean> {
  const given = [...erased.passIds, ...presentNames(erased.names)];
  const some = await listScansOfCodes(ctx, accountId, { codes: given, without: [], limit: 1 });
  if (some.length === 0) return false;
  const codes = [...erased.passIds, ...(await findUnusedNames(ctx, accountId, erased))];
  const left: string[] = [];
  for (;;) {
    const page = await listScansOfCodes(ctx, accountId, { codes, without: left, limit: PAGE_SCANS });
    if (page.length === 0) return left.length > 0;
    const recordedBy = (id: string, createdAt: number) => Math.max(timeOf(id), createdAt) + EVENT_MS_MAX;
    const about = aboutScans(
      accountId,
      page.map(({ id, createdAt }) => ({ id, recordedBy: recordedBy(id, createdAt) })),
    );
    await eraseAnswersTo(ctx, about, { areAll: !isPatient });
    const waiting = await eraseEvents(ctx, about, { stays: isPatient ? isUndelivered : () => sql`false` });
    await eraseCodeScans(
      ctx,
      accountId,
      page.map(({ id }) => id).filter((id) => !waiting.includes(id)),
    );
    left.push(...waiting);
  }
}
