import type { KeySettings } from '../../../platform/sealed-text.ts';
import type { Pass } from '../table.ts';
import { type KeptTokens, openBundleCopy, openTokens } from './link-tokens.ts';

/** Columns of a pass that its links are built from. */
export type LinkedPass = KeptTokens & Pick<Pass, 'id' | 'accountId' | 'bundleId' | 'bundlePageToken'>;

/** Returns the path of the download page of a pass. The passes of a bundle share one. */
export function pagePath(keys: KeySettings, pass: LinkedPass): string {
  return pathOfPage(openBundleCopy(keys, pass) ?? openTokens(keys, pass).page);
}

/** Returns the path of the page with a token. `language` (`de`) opens it in that language. */
export function pathOfPage(token: string, language?: string): string {
  return `${language ? `/${language}` : ''}/p/${token}`;
}

/** Returns the path of the direct pass file link, which grants access on its own. */
export function filePath(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string {
  return pathOfFile(pass.id, openTokens(keys, pass).file, 'pkpass');
}

/** Returns the path of the barcode image for API callers, also available as `.svg`. It doesn't ask for a PIN. */
export function barcodePath(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): string {
  return pathOfFile(pass.id, openTokens(keys, pass).file, 'png');
}

/** Returns the path of a pass's file with a token. */
export function pathOfFile(id: string, token: string, ending: 'pkpass' | 'png'): string {
  return `/passes/${id}/${token}.${ending}`;
}
