import { sql } from 'drizzle-orm';
import { timeOf } from '../../platform/ids.ts';
import { eraseCodeScans, listScansOfCodes } from '../app-scans/delete-scans.ts';
import type { Context } from '../context.ts';
import { aboutScans, eraseEvents } from '../events/erase-events.ts';
import { eraseAnswersTo, isUndelivered } from '../webhooks/erase-deliveries.ts';
import { type ErasedNames, findUnusedNames, presentNames } from './unused-names.ts';

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
