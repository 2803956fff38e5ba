import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { KeySettings } from '../../../platform/encryption-keys.ts';
import { base64url, randomToken, shardOf } from '../../../platform/ids.ts';
import { Lru } from '../../../platform/lru.ts';
import { decryptSync, encryptSync } from '../../../platform/sealed-text.ts';
import { OLD_TOKEN_CHARS, tokenIn, tokenOf } from '../../../platform/shard-tokens.ts';
import type { BundleLink, Pass } from '../table.ts';

/*
 * Link tokens at rest (docs/adr/0001-link-tokens-at-rest.md): the database has their digests, to find and to compare,
 * and the tokens encrypted, to show them. Rows from before that have the tokens themselves until the cron has moved
 * them.
 */

/** The secrets of a pass: those in its links, and the key of its codes. */
export interface LinkTokens {
  /** Stands in the address of the download page. */
  page: string;
  /** Stands in the direct link of the pass file, which works without a PIN. */
  file: string;
  authentication: string;
  /** Key of the codes that rotate, 20 bytes in base64url; only passes that have shown such codes have one. */
  rotating?: string;
}

/** The columns of a pass that keep its own tokens. */
export type KeptTokens = Pick<Pass, 'pageToken' | 'fileToken' | 'authenticationToken' | 'secrets'>;

/** The columns of a pass that keep the token of its bundle. */
type KeptBundleToken = Pick<Pass, 'accountId' | 'bundleId' | 'bundlePageToken'>;

/** Digest of a token, in base64url. A token has 128 random bits, so its digest needs no key. */
export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Characters of a token's digest. */
export const DIGEST_CHARS = 43;
/** More bits than a token has, and as long as no token is: who reads it in the database can't present it as one. */
const SHORT_CHARS = 24;

/** The beginning of a token's digest: what a pass keeps. Passes from before keep the whole one. */
export function shortDigestOf(token: string): string {
  return digestOf(token).slice(0, SHORT_CHARS);
}

/** What a column that keeps a token may hold for this one: its digest, or the token itself in rows from before. */
export function formsOf(token: string): string[] {
  // A digest that somebody read in the database is no token, so it is never looked up as it is.
  const digests = [shortDigestOf(token), digestOf(token)];
  return token.length === OLD_TOKEN_CHARS ? [...digests, token] : digests;
}

/** The columns for new tokens of a pass; `rotates`: its codes do. */
export function newTokens(keys: KeySettings, id: string, rotates: boolean): KeptTokens {
  const seed = randomToken() + (rotates ? ROTATES : '');
  return { ...digestsOf(tokensOfSeed(id, seed)), secrets: encryptSync(keys, id, seed) };
}

/** Stands behind the seed of a pass whose codes rotate. */
const ROTATES = '.';

/**
 * The tokens that follow from the 128 random bits of a seed, so that a pass keeps these alone. None of them tells
 * another one.
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

/** As long as what HMAC-SHA-1 comes to (RFC 4226 §4 asks for that). */
const ROTATING_KEY_BYTES = 20;

/** A random key for the codes of a pass. */
export function newRotatingKey(): string {
  return randomToken(ROTATING_KEY_BYTES);
}

/** New tokens for the links of the pass `id`. A device shows its token beside the identifier, which names the shard. */
export function linkTokensOf(id: string): Pick<LinkTokens, 'page' | 'file'> {
  const shard = shardOf(id);
  return { page: tokenIn(shard), file: tokenIn(shard) };
}

/** The columns that keep these tokens of the pass `id`. */
export function keepTokens(keys: KeySettings, id: string, tokens: LinkTokens): KeptTokens {
  const { page, file, authentication, rotating } = tokens;
  const list: KeptList = rotating ? [page, file, authentication, rotating] : [page, file, authentication];
  return { ...digestsOf(tokens), secrets: encryptSync(keys, id, JSON.stringify(list)) };
}

/** What is found, and searched, by its digest; who shows the `authenticationToken` names the pass, too. */
function digestsOf({ page, file }: LinkTokens): Omit<KeptTokens, 'secrets'> {
  return { pageToken: shortDigestOf(page), fileToken: shortDigestOf(file), authenticationToken: '' };
}

/** The columns of a pass that is only shown, and never stored, with these tokens. */
export function shownTokens({ page, file, authentication }: LinkTokens): KeptTokens {
  return { pageToken: page, fileToken: file, authenticationToken: authentication, secrets: null };
}

/** What `secrets` is the encryption of, as JSON, where the tokens follow from no seed: some have been replaced. */
type KeptList = [page: string, file: string, authentication: string, rotating?: string];

/** Tokens that were opened: a request that shows a pass asks for them several times. */
const opened = new Lru<LinkTokens>(2_000);

/** The tokens in the links of a pass. Throws when no key opens them. */
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

/** Whether a device shows the `authenticationToken` of the pass. Throws when no key opens it. */
export function isAuthentication(keys: KeySettings, pass: KeptTokens & Pick<Pass, 'id'>, token: string): boolean {
  return constantTimeEqual(openTokens(keys, pass).authentication, token);
}

/** A bundle's link as it is stored. */
type KeptLink = Pick<BundleLink, 'accountId' | 'bundleId' | 'pageToken' | 'secret'>;

/** The columns of `bundle_links` for a token of the bundle's page. */
export function keepBundleToken(
  keys: KeySettings,
  { accountId, bundleId, token }: { accountId: string; bundleId: string; token: string },
): Pick<BundleLink, 'pageToken' | 'secret'> {
  return { pageToken: digestOf(token), secret: encryptSync(keys, ownerOf(accountId, bundleId), token) };
}

/** The token of a bundle's page. Throws when no key opens it. */
export function openBundleToken(keys: KeySettings, { accountId, bundleId, pageToken, secret }: KeptLink): string {
  return secret === null ? pageToken : decryptSync(keys, ownerOf(accountId, bundleId), secret);
}

/** The link of its bundle as a pass stores it: the digest, a dot, and the encrypted token. */
export function bundleCopy(keys: KeySettings, link: KeptLink): string {
  const { secret, pageToken } = link.secret === null ? keepBundleToken(keys, { ...link, token: link.pageToken }) : link;
  return `${pageToken}.${secret}`;
}

/** Where the encrypted token begins in what `bundleCopy` makes, counted from 1 as SQL does. */
export const COPY_SECRET_START = DIGEST_CHARS + 2;

/** Whether a pass keeps the token of its bundle encrypted; otherwise it is from before. */
export function isBundleCopy(text: string): boolean {
  return /^[\w-]{43}\.v\d\./.test(text);
}

/** The token of the page of a pass's bundle; undefined when it is in none. Throws when no key opens it. */
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
