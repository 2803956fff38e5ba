import type { Pass } from './table.ts';

/** Path of the download page of a pass. The passes of a bundle share one (specification, `bundleId`). */
export function pagePath(pass: Pick<Pass, 'pageToken' | 'bundlePageToken'>): string {
  return pathOfPage(pass.bundlePageToken ?? pass.pageToken);
}

/** Path of the page with a token; `language` (`de`) opens it in that language. */
export function pathOfPage(token: string, language?: string): string {
  return `${language ? `/${language}` : ''}/p/${token}`;
}

/** Path of the direct pass file link, a capability of its own (decisions §8, "Download page"). */
export function filePath(pass: Pick<Pass, 'id' | 'fileToken'>): string {
  return `/passes/${pass.id}/${pass.fileToken}.pkpass`;
}

/** Path of the picture of the pass's barcode for callers of the API, also as `.svg`; like the file link it asks no PIN. */
export function barcodePath(pass: Pick<Pass, 'id' | 'fileToken'>): string {
  return `/passes/${pass.id}/${pass.fileToken}.png`;
}
