import { createHash } from 'node:crypto';
import { lowerUuid } from '../../../platform/ids.ts';
import type { KeySettings } from '../../../platform/sealed-text.ts';
import type { Pass } from '../table.ts';
import { type KeptTokens, openBundleCopy, openTokens, shownTokens } from './link-tokens.ts';

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

const HANDLE_CHARS = 32;

/** Name of a page in its URL: a secret, the ID of a pass, or its `userProvidedId`. */
export type PageName = { token: string } | { id: string } | { accountId: string; userProvidedId: string };

/** Returns the text behind `/p/` in the URL of an open page; undefined for a secret. */
export function openAddressOf(name: PageName): string | undefined {
  if ('token' in name) return undefined;
  if ('id' in name) return lowerUuid(name.id);
  return `${lowerUuid(name.accountId)}/${encodeURIComponent(name.userProvidedId.toWellFormed())}`;
}

/**
 * Returns a pass without secrets for a page at an open URL: its links are that URL or below it. Nothing on the page,
 * not even a text with `{downloadPage}`, works without the URL or after the account turns open URLs off.
 */
export function withoutSecrets(pass: Pass, address: string): Pass {
  const isBundled = pass.bundleId !== null;
  return {
    ...pass,
    ...shownTokens({ page: isBundled ? `${address}/m/${passHandle(pass)}` : address, file: '', authentication: '' }),
    bundlePageToken: isBundled ? address : null,
  };
}

/** Returns the name of a pass on pages and in cookies, where its ID must not appear because it opens a page itself. */
export function passHandle({ id }: Pick<Pass, 'id'>): string {
  return createHash('sha256').update(id).digest('hex').slice(0, HANDLE_CHARS);
}
