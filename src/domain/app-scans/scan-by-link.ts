import { type OpenedLink, openLink } from '../app-configurations/open-link.ts';
import type { Context } from '../context.ts';
import { createScan } from './create-scan.ts';
import { type ScanSubject, subjectForLink } from './find-subject.ts';
import type { NewScan, ScanResult } from './scan-plan.ts';

/** A link, opened together with what a scan of its app is about. */
export interface OpenedScan extends OpenedLink {
  subject: ScanSubject;
}

/**
 * A scan as the app of a link sends it; `configurationId` is the configuration that it shows, absent: the link's own.
 */
export type LinkScan = Omit<NewScan, 'link' | 'configurationId'> & { configurationId?: string };

/** Like `openLink`, and reads in the same round trip what a scan needs. */
export async function openLinkForScan(
  ctx: Context,
  token: string,
  scan: Pick<LinkScan, 'configurationId' | 'barcode' | 'clientId'>,
): Promise<OpenedScan | undefined> {
  let read: (results: unknown[]) => ScanSubject = () => ({});
  const opened = await openLink(ctx, token, scan.configurationId, (digest) => {
    const subject = subjectForLink(ctx, { digest }, { ...scan, configurationId: scan.configurationId ?? '' });
    read = subject.read;
    return subject.queries;
  });
  return opened && { ...opened, subject: { ...read(opened.alongside), configuration: opened.configuration } };
}

/**
 * Records a scan that the app of an opened link made; two round trips in all. Whether the link must be unlocked first
 * is the caller's to check. Throws what `createScan` throws.
 */
export function scanByLink({ ctx, link, configuration, subject }: OpenedScan, scan: LinkScan): Promise<ScanResult> {
  const configurationId = configuration.id;
  return createScan(ctx, { ...scan, configurationId, link: { id: link.id, usedAt: link.usedAt } }, subject);
}
