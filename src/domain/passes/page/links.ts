import type { KeySettings } from '../../../platform/encryption-keys.ts';
import type { Pass } from '../table.ts';
import { type KeptTokens, openBundleCopy, openTokens } from './link-tokens.ts';

/** The columns of a pass that its links follow from. */
export type LinkedPass = KeptTokens & Pick<Pass, 'id' | 'accountId' | 'bundleId' | 'bundlePageToken'>;

/** Path of the download page of a pass. The passes of a bundle share one. */
export function pagePath(keys: KeySettings, pass: LinkedPass): string {
  return pathOfPage(openBundleCopy(keys, pass) ?? openTokens(keys, pass).page);
}

/** Path of the page with a token; `language` (`de`) opens it in that language. */
export function pathOfPage(token: string, language?: string): string {
  return `${language ? `/${language}` : ''}/p/${token}`;
}

/** Path of the direct pass file link, a capability of its own. */
export function filePath(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string {
  return pathOfFile(pass.id, openTokens(keys, pass).file, 'pkpass');
}

/** Path of the picture of the barcode for callers of the API, also as `.svg`; it asks no PIN. */
export function barcodePath(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string {
  return pathOfFile(pass.id, openTokens(keys, pass).file, 'png');
}

/** Path of a file of a pass with a token. */
export function pathOfFile(id: string, token: string, ending: 'pkpass' | 'png'): string {
  return `/passes/${id}/${token}.${ending}`;
}
