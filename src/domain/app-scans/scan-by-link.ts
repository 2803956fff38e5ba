import { type OpenedLink, openLink } from '../app-configurations/open-link.ts';
import type { Context } from '../context.ts';
import { createScan, type NewScan, type ScanResult } from './create-scan.ts';
import { type ScanSubject, subjectForLink } from './find-subject.ts';

/** A link, opened together with what a scan of its app is about. */
export interface OpenedScan extends OpenedLink {
  subject: ScanSubject;
}

/** Like `openLink`, and reads in the same round trip what a scan needs. `scan.configurationId` is the configuration that the app shows. */
export async function openLinkForScan(
  ctx: Context,
  token: string,
  scan: Pick<NewScan, 'configurationId' | 'barcode' | 'clientId'>,
): Promise<OpenedScan | undefined> {
  let read: (results: unknown[]) => ScanSubject = () => ({});
  const opened = await openLink(ctx, token, scan.configurationId, (digest) => {
    const subject = subjectForLink(ctx, { digest }, scan);
    read = subject.read;
    return subject.queries;
  });
  return opened && { ...opened, subject: { ...read(opened.alongside), configuration: opened.configuration } };
}

/** Records a scan that the app of an opened link made; two round trips in all. Whether the link must be unlocked first is the caller's to check. Throws what `createScan` throws. */
export function scanByLink({ ctx, link, subject }: OpenedScan, scan: Omit<NewScan, 'link'>): Promise<ScanResult> {
  const configurationId = subject.configuration?.id ?? scan.configurationId;
  return createScan(ctx, { ...scan, configurationId, link: { id: link.id, usedAt: link.usedAt } }, subject);
}
