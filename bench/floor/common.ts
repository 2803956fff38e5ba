import { hash } from 'node:crypto';
import { type LinkTokens, openTokens } from '../../src/domain/passes/page/links.ts';

export interface Env {
  DB: D1Database;
  RATE_LIMITER: RateLimit;
  BASE_URL: string;
  RATE_LIMIT_PER_MINUTE: string;
  /** `RequestTemplates` as JSON. */
  FLOOR_REQUESTS: string;
  /** A row of `passes` that the product wrote, as JSON. Search index entries of other passes are derived from it. */
  FLOOR_PASS: string;
  /** Name of its template, which the product's warm isolates have cached. */
  FLOOR_TEMPLATE_NAME: string;
  /** PKCS#8 PEM of the Google issuer. */
  FLOOR_KEY_PEM: string;
  /** Claims of a save link, a `TextTemplate` as JSON. */
  FLOOR_CLAIMS: string;
  /** Identifier of the scanner whose scans void passes. */
  FLOOR_VOIDING: string;
  /** The product's key, which decrypts the tokens of links. */
  ENCRYPTION_KEY: string;
}

export interface Account {
  id: string;
  api_key_id: string;
  secret_digest: string;
  active: number;
  expires_at: number | null;
}

/** A row of `passes` as D1 returns it. */
export interface Row {
  [column: string]: string | number | null;
  id: string;
  template_id: string;
  user_provided_id: string | null;
  generated_id: string;
  barcode_value: string;
  properties: string;
  page_token: string;
  file_token: string;
  secrets: string | null;
  created_at: number;
  modified_at: number;
}

/** Returns the tokens in a pass's links. */
export function tokensOf(env: Env, { id, page_token: pageToken, file_token: fileToken, secrets }: Row): LinkTokens {
  return openTokens(env, { id, pageToken, fileToken, authenticationToken: '', secrets });
}

/** Returns the account if the key is valid. */
export function genuine(account: Account | undefined, key: string): Account | undefined {
  if (!account || account.secret_digest !== hash('sha256', key.slice(20))) return undefined;
  return account.active && (account.expires_at === null || account.expires_at > Date.now()) ? account : undefined;
}

/** Returns a reply with the product's headers. */
export function respond(body: string, session: D1DatabaseSession, env: Env, status = 200): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'Strict-Transport-Security': 'max-age=31536000',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': crypto.randomUUID(),
      'RateLimit-Policy': `"default";q=${env.RATE_LIMIT_PER_MINUTE};w=60`,
      'X-D1-Bookmark': session.getBookmark() ?? '',
    },
  });
}

export function date(millis: number): string {
  return new Date(millis).toISOString().slice(0, 19).replace('T', ' ');
}

export function uuid(now: number): string {
  const time = now.toString(16).padStart(12, '0');
  const tail = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(6)}00`;
}
