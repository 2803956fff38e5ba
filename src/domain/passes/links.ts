import type { Pass } from './table.ts';

/** Path of a pass's download page; `language` (`de`) opens it in that language. */
export function pagePath(pass: Pick<Pass, 'pageToken'>, language?: string): string {
  return `${language ? `/${language}` : ''}/p/${pass.pageToken}`;
}

/** Path of the direct pass file link, a capability of its own (decisions §8, "Download page"). */
export function filePath(pass: Pick<Pass, 'id' | 'fileToken'>): string {
  return `/passes/${pass.id}/${pass.fileToken}.pkpass`;
}

/** Path of the picture of the pass's barcode. */
export function barcodePath(pass: Pick<Pass, 'pageToken'>, type: 'svg' | 'png' = 'png'): string {
  return `/p/${pass.pageToken}/barcode.${type}`;
}
