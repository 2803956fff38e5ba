import { type OpenedLink, openLink } from '../app-configurations/open-link.ts';
import { retryUntilWritten } from '../attempts.ts';
import type { AccountContext, Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { refusalOf } from '../passes/change-pass.ts';
import type { DefinedPass } from '../passes/find-pass.ts';
import { newId, writeOnce } from '../write-once.ts';
import { findSubject, type ScanSubject, subjectForLink } from './find-subject.ts';
import { type NewScan, planScan, type ScanPlan, type ScanResult } from './scan-plan.ts';
import type { AppScan } from './table.ts';
import { findScan, writeScan } from './write-scan.ts';

/**
 * Records a scan and its effects in two round trips, one if `first` has the read. The scan's statement decides by the
 * current pass, so of simultaneous scans only one voids; if the pass changed otherwise, it is read again. Throws not
 * found for a configuration and `invalid` with the field; then nothing is stored.
 */
export async function createScan(ctx: AccountContext, scan: NewScan, first?: ScanSubject): Promise<ScanResult> {
  let subject = first ?? (await findSubject(ctx, scan));
  const createdAt = Math.min(scan.createdAt ?? Number.POSITIVE_INFINITY, Date.now());
  const id = newId(ctx, 'scan');
  const find = () => findResult(ctx, id, scan);
  const attempt = async (isFirst: boolean) => {
    const known = !isFirst && ctx.repeatable ? await find() : undefined;
    if (known) return known;
    if (!isFirst) subject = await findSubject(ctx, scan);
    const { configuration, found, earlier } = subject;
    if (!configuration) throw notFound();
    if (earlier) return { scan: earlier, configuration, found: earlier.passId ? found : undefined, isRepeated: true };
    const plan = await planScan(ctx, scan, createdAt, configuration, found);
    const written = await writeScan(ctx, id, plan);
    if (written) return { scan: written, configuration, found: passAfter(plan, written), isRepeated: false };
    const refused = plan.change?.rules.length ? await refusalOf(ctx, plan.change) : undefined;
    if (refused && refused.kind !== 'not_found') throw refused;
    return undefined;
  };
  return writeOnce(ctx, find, () => retryUntilWritten('The pass', attempt));
}

/** Returns the scan with this identifier as its creation returned it; undefined if there is none. */
async function findResult(ctx: AccountContext, id: string, sent: NewScan): Promise<ScanResult | undefined> {
  const scan = await findScan(ctx, id);
  if (!scan) return undefined;
  const { configuration, found } = await findSubject(ctx, sent);
  if (!configuration) throw notFound();
  return { scan, configuration, found: scan.passId ? found : undefined, isRepeated: true };
}

/** Returns the pass after the scan. The database decided, and a concurrent scan may have voided it. */
function passAfter({ found, change }: ScanPlan, { reason }: Pick<AppScan, 'reason'>): DefinedPass | undefined {
  if (!found) return undefined;
  if (change && (reason === 'accepted' || reason === 'told')) return change.after;
  return reason === 'voided' ? { ...found, pass: { ...found.pass, voided: true } } : found;
}

/** An opened link with the subject of a scan by its app. */
export interface OpenedScan extends OpenedLink {
  subject: ScanSubject;
}

/** `configurationId` is the configuration that the app shows; absent: the link's own. */
type LinkScan = Omit<NewScan, 'link' | 'configurationId'> & { configurationId?: string };

/** Opens a link like `openLink`, and reads in the same round trip what a scan needs. */
export async function openLinkForScan(
  ctx: Context,
  token: string,
  scan: Pick<LinkScan, 'configurationId' | 'barcode' | 'clientId'>,
): Promise<OpenedScan | undefined> {
  const question = { ...scan, configurationId: scan.configurationId ?? '' };
  const opened = await openLink(ctx, token, scan.configurationId, (digest) =>
    subjectForLink(ctx.db, { digest }, question),
  );
  return opened && { ...opened, subject: { ...opened.ahead, configuration: opened.configuration } };
}

/** Records a scan by a link. Two round trips in total. The caller checks whether the link must be unlocked first. */
export function scanByLink({ ctx, link, configuration, subject }: OpenedScan, scan: LinkScan): Promise<ScanResult> {
  const configurationId = configuration.id;
  return createScan(ctx, { ...scan, configurationId, link: { id: link.id, usedAt: link.usedAt } }, subject);
}
