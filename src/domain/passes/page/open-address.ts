import { createHash } from 'node:crypto';
import { lowerUuid } from '../../../platform/ids.ts';
import type { Pass } from '../table.ts';
import { shownTokens } from './link-tokens.ts';

const HANDLE_CHARS = 32;

/** The name in the address of a page: a secret, the identifier of a pass, or its `userProvidedId`. */
export type PageName = { token: string } | { id: string } | { accountId: string; userProvidedId: string };

/** The text behind `/p/` in the address of a page that is no secret; undefined for a secret. */
export function openAddressOf(name: PageName): string | undefined {
  if ('token' in name) return undefined;
  if ('id' in name) return lowerUuid(name.id);
  return `${lowerUuid(name.accountId)}/${encodeURIComponent(name.userProvidedId.toWellFormed())}`;
}

/**
 * A pass as a page at an address that is no secret may know it: its links are that address, or stand below it. So
 * nothing on the page, not even a text with `{downloadPage}`, works without the address or goes on when the account
 * switches such addresses off.
 */
export function withoutSecrets(pass: Pass, address: string): Pass {
  const isBundled = pass.bundleId !== null;
  return {
    ...pass,
    ...shownTokens({ page: isBundled ? `${address}/m/${passHandle(pass)}` : address, file: '', authentication: '' }),
    bundlePageToken: isBundled ? address : null,
  };
}

/** Names a pass on pages and in cookies, where its identifier, which opens a page itself, is nobody's business. */
export function passHandle({ id }: Pick<Pass, 'id'>): string {
  return createHash('sha256').update(id).digest('hex').slice(0, HANDLE_CHARS);
}
