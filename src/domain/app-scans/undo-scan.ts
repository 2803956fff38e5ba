import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { timeOf } from '../../platform/ids.ts';
import { countScan } from '../app-configurations/count-scans.ts';
import type { OpenedLink } from '../app-configurations/open-link.ts';
import { retryUntilWritten } from '../attempts.ts';
import type { AccountContext } from '../context.ts';
import { DomainError, notFound } from '../errors.ts';
import { type Change, changeStatements, isChangeApplicable, planChange, refusalOf } from '../passes/change-pass.ts';
import { type DefinedPass, definedPassQuery, toDefinedPass } from '../passes/find-pass.ts';
import { isOwnPass } from '../passes/own-pass.ts';
import { takeBackUsage } from '../passes/record-usage.ts';
import { passes } from '../passes/table.ts';
import { applyTiers } from '../passes/tiers.ts';
import { writeClaims } from '../passes/unique-values.ts';
import { canReturnAmount, sum } from './functionality.ts';
import { type AppScan, appScans } from './table.ts';

/** Minutes for which the app that made a scan can undo it, since the service received it. */
export const UNDO_MINUTES = 10;

/**
 * Whether a scan can be undone at `now` (UTC milliseconds): recently accepted, and the pass's last usage, `lastScanId`.
 */
export function isUndoable(scan: AppScan, lastScanId: string | null, now: number): boolean {
  const isRecent = timeOf(scan.id) >= now - UNDO_MINUTES * 60_000;
  return scan.undoneAt === null && scan.reason === 'accepted' && scan.id === lastScanId && isRecent;
}

/**
 * Undoes a scan of this link: restores the pass that it voided (`pass_unvoided`), returns the value and removes the
 * usage. Only the last usage within ten minutes; undoing again changes nothing. Two round trips. Throws not found, and
 * `conflict` if the scan can't be undone anymore.
 */
export async function undoScan({ ctx, link }: Pick<OpenedLink, 'ctx' | 'link'>, scanId: string): Promise<void> {
  await retryUntilWritten('The pass', async () => {
    const { scan, found } = await read(ctx, link.id, scanId);
    if (scan.undoneAt !== null) return true;
    const plan = await planUndo(ctx, scan, found);
    const results = await writeClaims(ctx, undoStatements(ctx, plan), plan.change?.after);
    if (results?.[0]?.length) return true;
    const refused = plan.change?.rules.length ? await refusalOf(ctx, plan.change) : undefined;
    if (refused && refused.kind !== 'not_found') throw refused;
    return undefined;
  });
}

async function read(ctx: AccountContext, linkId: string, scanId: string) {
  const mine = and(eq(appScans.id, scanId), eq(appScans.accountId, ctx.account.id), eq(appScans.linkId, linkId));
  const passId = sql`(select ${appScans.passId} from ${appScans} where ${mine})`;
  const [[scan], [row]] = await ctx.db.batch([
    ctx.db.select().from(appScans).where(mine),
    definedPassQuery(ctx, passId),
  ]);
  if (!scan) throw notFound();
  return { scan, found: row && toDefinedPass(row) };
}

interface UndoPlan {
  scan: AppScan;
  found: DefinedPass;
  change?: Change;
}

async function planUndo(ctx: AccountContext, scan: AppScan, found: DefinedPass | undefined): Promise<UndoPlan> {
  const { pass } = found ?? {};
  if (!found || !pass || !isUndoable(scan, pass.lastScanId, Date.now())) {
    throw new DomainError('conflict', `Only the last scan of a pass can be undone, within ${UNDO_MINUTES} minutes`);
  }
  const wanted = { ...pass };
  // A pass that was restored or voided otherwise meanwhile stays as it is: then this scan no longer voids it.
  if (scan.hasVoided && pass.voided && pass.redeemed) Object.assign(wanted, { voided: false, redeemed: false });
  // Only in this case did the scan change the pass's appearance.
  if (found.definition.stopLocationsAfterUse && scan.previousUsageAt === null) wanted.lastUsageAt = null;
  wanted.storedValue = valueBefore(scan, found);
  return { scan, found, change: planChange(ctx, found, await applyTiers(ctx, found, wanted)) };
}

/** Returns the value without the scan. If it changed since, it is known only for a template that counts amounts. */
function valueBefore({ storedValueBefore, storedValueAfter }: AppScan, { pass, definition }: DefinedPass) {
  if (storedValueAfter === null) return pass.storedValue;
  if (pass.storedValue === storedValueAfter) return storedValueBefore;
  const value = sum(pass.storedValue ?? 0, (storedValueBefore ?? 0) - storedValueAfter);
  if (canReturnAmount(definition) && value >= 0) return value;
  throw new DomainError('conflict', 'The value of the pass has changed since the scan');
}

function undoStatements(ctx: AccountContext, { scan, found, change }: UndoPlan): BatchItem<'sqlite'>[] {
  const undoneAt = Date.now();
  const isScan = and(eq(appScans.id, scan.id), eq(appScans.accountId, ctx.account.id));
  const isLast = sql`exists (select 1 from ${passes} where ${isOwnPass(ctx.account.id, found.pass.id)} and ${eq(passes.lastScanId, scan.id)})`;
  // The usage comes last: the statements before it need the last usage.
  const undone: SQL = sql`${isLast} and exists (select 1 from ${appScans} where ${and(isScan, eq(appScans.undoneAt, undoneAt))})`;
  const { previousScanId, previousUsageAt, place, previousPlaceUsageAt } = scan;
  const before = { scanId: previousScanId, at: previousUsageAt, place, placeAt: previousPlaceUsageAt };
  return [
    ctx.db
      .update(appScans)
      .set({ undoneAt })
      .where(and(isScan, isNull(appScans.undoneAt), isLast, change && isChangeApplicable(change)))
      .returning({ id: appScans.id }),
    countScan(ctx, ctx.account.id, scan.configurationId, -1, undone),
    ...(change ? changeStatements(ctx, change, undefined, undone) : []),
    takeBackUsage(ctx, found.pass.id, before, undone),
  ];
}
