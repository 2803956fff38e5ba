import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { OpenedLink } from '../app-configurations/open-link.ts';
import { passes } from '../passes/table.ts';
import { templates } from '../templates/table.ts';
import { appScans, type ScanReason } from './table.ts';
import { isUndoable } from './undo-scan.ts';

const RECENT_SCANS_MAX = 50;

/** A scan by a link's app, with names of the pass. */
export interface RecentScan {
  id: string;
  /** UUID from the device. */
  clientId: string | null;
  scanStatus: number;
  reason: ScanReason;
  scannedBarcodeValue: string | null;
  deviceName: string | null;
  /** UTC milliseconds. */
  createdAt: number;
  passId: string | null;
  userProvidedId: string | null;
  generatedId: string | null;
  templateName: string | null;
  isUndoable: boolean;
}

/** Returns the link's scans that weren't undone, newest first, each with its pass and template. One round trip. */
export async function recentScans({ ctx, link }: Pick<OpenedLink, 'ctx' | 'link'>): Promise<RecentScan[]> {
  const rows = await ctx.db
    .select({
      scan: appScans,
      userProvidedId: passes.userProvidedId,
      generatedId: passes.generatedId,
      lastScanId: passes.lastScanId,
      templateName: templates.name,
    })
    .from(appScans)
    .leftJoin(passes, eq(passes.id, appScans.passId))
    .leftJoin(templates, eq(templates.id, passes.templateId))
    .where(
      and(eq(appScans.linkId, link.id), sql`+${appScans.accountId} = ${ctx.account.id}`, isNull(appScans.undoneAt)),
    )
    .orderBy(desc(appScans.id))
    .limit(RECENT_SCANS_MAX);
  return rows.map(({ scan, userProvidedId, generatedId, lastScanId, templateName }) => ({
    id: scan.id,
    clientId: scan.clientId,
    scanStatus: scan.scanStatus,
    reason: scan.reason,
    scannedBarcodeValue: scan.scannedBarcodeValue,
    deviceName: scan.deviceName,
    createdAt: scan.createdAt,
    passId: scan.passId,
    userProvidedId,
    generatedId,
    templateName,
    isUndoable: isUndoable(scan, lastScanId, Date.now()),
  }));
}
