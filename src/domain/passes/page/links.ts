import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import { base64url, lowerUuid, randomToken, shardOf } from '../../../platform/ids.ts';
import { Lru } from '../../../platform/lru.ts';
import { decryptSync, encryptSync, type KeySettings } from '../../../platform/sealed-text.ts';
import { OLD_TOKEN_CHARS, tokenIn, tokenOf } from '../../../platform/shard-tokens.ts';
import type { BundleLink, Pass } from '../table.ts';

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

/*
 * Link tokens at rest (docs/adr/0001-link-tokens-at-rest.md). The database stores their digests for lookups and
 * comparison, and the encrypted tokens for display. Old rows contain the tokens themselves until the cron has converted
 * them.
 */

/** Secrets of a pass: those in its links, and the key of its codes. */
export interface LinkTokens {
  /** Part of the download page's URL. */
  page: string;
  /** Part of the direct link of the pass file, which works without a PIN. */
  file: string;
  authentication: string;
  /** Key of rotating codes, 20 bytes in base64url; only passes that have shown such codes have one. */
  rotating?: string;
}

/** Columns of a pass that store its own tokens. */
export type KeptTokens = Pick<Pass, 'pageToken' | 'fileToken' | 'authenticationToken' | 'secrets'>;

/** Columns of a pass that store the token of its bundle. */
type KeptBundleToken = Pick<Pass, 'accountId' | 'bundleId' | 'bundlePageToken'>;

/** Returns the digest of a token, in base64url. A token has 128 random bits, so its digest needs no key. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Length of a token's digest. */
export const DIGEST_CHARS = 43;
/** More bits than a token has, and a length that no token has: a digest from the database can't be used as a token. */
const SHORT_CHARS = 24;

/** Returns the beginning of a token's digest, which passes store. Old passes store the whole digest. */
export function shortDigestOf(token: string): string {
  return digestOf(token).slice(0, SHORT_CHARS);
}

/** Returns the forms of a token that a column may contain: its digests, or the token itself in old rows. */
export function formsOf(token: string): string[] {
  // Only a token of the old length is looked up as it is, so a digest from the database never works as a token.
  const digests = [shortDigestOf(token), digestOf(token)];
  return token.length === OLD_TOKEN_CHARS ? [...digests, token] : digests;
}

/**
 * Creates the columns of new tokens of a pass; `rotates`: its codes rotate. Remembers the tokens, because the reply to
 * the creation shows them.
 */
export function newTokens(keys: KeySettings, id: string, rotates: boolean): KeptTokens {
  const seed = randomToken() + (rotates ? ROTATES : '');
  const tokens = tokensOfSeed(id, seed);
  const secrets = encryptSync(keys, id, seed);
  opened.set(id + secrets, tokens);
  return { ...digestsOf(tokens), secrets };
}

/** Suffix of the seed of a pass whose codes rotate. */
const ROTATES = '.';

/**
 * Derives the tokens from the 128 random bits of a seed, so that a pass stores only these. No token reveals another.
 */
function tokensOfSeed(id: string, seed: string): LinkTokens {
  const [key, rotates] = seed.split(ROTATES) as [string, string?];
  const derived = (name: keyof LinkTokens) => createHmac('sha256', key).update(name).digest();
  const token = (name: keyof LinkTokens) => base64url(derived(name).subarray(0, TOKEN_BYTES));
  const shard = shardOf(id);
  return {
    page: tokenOf(shard, token('page')),
    file: tokenOf(shard, token('file')),
    authentication: token('authentication'),
    rotating: rotates === undefined ? undefined : base64url(derived('rotating').subarray(0, ROTATING_KEY_BYTES)),
  };
}

const TOKEN_BYTES = 16;

/** Length of an HMAC-SHA-1, as RFC 4226 §4 recommends. */
const ROTATING_KEY_BYTES = 20;

/** Creates a random key for the codes of a pass. */
export function newRotatingKey(): string {
  return randomToken(ROTATING_KEY_BYTES);
}

/** Creates tokens for the links of the pass `id`. A device sends its token with the ID, which names the shard. */
export function linkTokensOf(id: string): Pick<LinkTokens, 'page' | 'file'> {
  const shard = shardOf(id);
  return { page: tokenIn(shard), file: tokenIn(shard) };
}

/** Returns the columns that store these tokens of the pass `id`. */
export function keepTokens(keys: KeySettings, id: string, tokens: LinkTokens): KeptTokens {
  const { page, file, authentication, rotating } = tokens;
  const list: KeptList = rotating ? [page, file, authentication, rotating] : [page, file, authentication];
  return { ...digestsOf(tokens), secrets: encryptSync(keys, id, JSON.stringify(list)) };
}

/** Returns the digests by which tokens are found. The `authenticationToken` needs none: its requests name the pass. */
function digestsOf({ page, file }: LinkTokens): Omit<KeptTokens, 'secrets'> {
  return { pageToken: shortDigestOf(page), fileToken: shortDigestOf(file), authenticationToken: '' };
}

/** Returns the columns with these tokens for a pass that is only displayed, never stored. */
export function shownTokens({ page, file, authentication }: LinkTokens): KeptTokens {
  return { pageToken: page, fileToken: file, authenticationToken: authentication, secrets: null };
}

/** Plaintext of `secrets`, as JSON, if the tokens don't derive from a seed because some were replaced. */
type KeptList = [page: string, file: string, authentication: string, rotating?: string];

/** Cache of decrypted tokens: a request that shows a pass needs them several times. */
const opened = new Lru<LinkTokens>(2_000);

/** Returns the tokens in the links of a pass. Throws if no key decrypts them. */
export function openTokens(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>): LinkTokens {
  const { id, secrets } = pass;
  if (!secrets) {
    return { page: pass.pageToken, file: pass.fileToken, authentication: pass.authenticationToken };
  }
  const known = opened.get(id + secrets);
  if (known) return known;
  const kept = decryptSync(keys, id, secrets);
  const tokens = kept.startsWith('[') ? tokensOfList(JSON.parse(kept) as KeptList) : tokensOfSeed(id, kept);
  opened.set(id + secrets, tokens);
  return tokens;
}

function tokensOfList([page, file, authentication, rotating]: KeptList): LinkTokens {
  return { page, file, authentication, rotating };
}

/** Whether a device sent the `authenticationToken` of the pass. Throws if no key decrypts it. */
export function isAuthentication(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>, token: string): boolean {
  return constantTimeEqual(openTokens(keys, pass).authentication, token);
}

/** Stored link of a bundle. */
type KeptLink = Pick<BundleLink, 'accountId' | 'bundleId' | 'pageToken' | 'secret'>;

/** Returns the columns of `bundle_links` for a token of the bundle's page. */
export function keepBundleToken(
  keys: KeySettings,
  { accountId, bundleId, token }: { accountId: string; bundleId: string; token: string },
): Pick<BundleLink, 'pageToken' | 'secret'> {
  return { pageToken: digestOf(token), secret: encryptSync(keys, ownerOf(accountId, bundleId), token) };
}

/** Returns the token of a bundle's page. Throws if no key decrypts it. */
export function openBundleToken(keys: KeySettings, { accountId, bundleId, pageToken, secret }: KeptLink): string {
  return secret === null ? pageToken : decryptSync(keys, ownerOf(accountId, bundleId), secret);
}

/** Returns the bundle link as a pass stores it: the digest, a dot, and the encrypted token. */
export function bundleCopy(keys: KeySettings, link: KeptLink): string {
  const { secret, pageToken } = link.secret === null ? keepBundleToken(keys, { ...link, token: link.pageToken }) : link;
  return `${pageToken}.${secret}`;
}

/** Position of the encrypted token in a result of `bundleCopy`, counted from 1 as in SQL. */
export const COPY_SECRET_START = DIGEST_CHARS + 2;

/** Whether a pass stores the token of its bundle encrypted; otherwise the row is old. */
export function isBundleCopy(text: string): boolean {
  return /^[\w-]{43}\.v\d\./.test(text);
}

/** Returns the page token of a pass's bundle; undefined if it is in none. Throws if no key decrypts it. */
export function openBundleCopy(
  keys: KeySettings,
  { accountId, bundleId, bundlePageToken }: KeptBundleToken,
): string | undefined {
  if (bundlePageToken === null) return undefined;
  if (bundleId === null || !isBundleCopy(bundlePageToken)) return bundlePageToken;
  return decryptSync(keys, ownerOf(accountId, bundleId), bundlePageToken.slice(COPY_SECRET_START - 1));
}

function ownerOf(accountId: string, bundleId: string): string {
  return `${accountId}/${bundleId}`;
}
