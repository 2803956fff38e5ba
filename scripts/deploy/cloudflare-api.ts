import { isRecord, parseJson } from '../../src/platform/json.ts';
import { runWrangler } from '../run-wrangler.ts';
import { Problem } from '../settings.ts';

const API_DEFAULT = 'https://api.cloudflare.com/client/v4';
const TIMEOUT_MS = 60_000;
const PAGE_SIZE = 100;
const PAGES_MAX = 100;

/** An error that Cloudflare's API returned. */
export class ApiProblem extends Problem {
  status: number;
  codes: number[];

  constructor(what: string, status: number, errors: { code: number; message: string }[]) {
    const reasons = errors.map(({ code, message }) => `${message} (${code})`).join('; ');
    super(`Cloudflare refused ${what}: ${reasons || `status ${status}`}`);
    this.status = status;
    this.codes = errors.map(({ code }) => code);
  }
}

/** Cloudflare's API for one account. */
export interface CloudflareApi {
  accountId: string;
  /** Calls a path below the account and returns `result`. Throws `ApiProblem`. */
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** The same with GET; undefined if it doesn't exist. */
  find<T>(path: string): Promise<T | undefined>;
  /** Returns all pages of a list. */
  list<T>(path: string): Promise<T[]>;
}

type Headers = Record<string, string>;

/**
 * Signs in like wrangler: with CLOUDFLARE_API_TOKEN or `wrangler login`. Throws a `Problem` that says how to sign in,
 * or which accounts to choose from.
 */
export async function signIn(configuredAccount?: string, env = process.env): Promise<CloudflareApi> {
  const base = env.CLOUDFLARE_API_BASE_URL || API_DEFAULT;
  const headers = await authorization(env);
  const accountId = env.CLOUDFLARE_ACCOUNT_ID || configuredAccount || (await onlyAccount(base, headers));
  const below = `${base}/accounts/${accountId}`;
  const call: CloudflareApi['call'] = async (method, path, body) =>
    (await ask(below, headers, method, path, body)).result as never;
  return {
    accountId,
    call,
    async find(path) {
      try {
        return await call('GET', path);
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 404) return undefined;
        throw error;
      }
    },
    async list<T>(path: string) {
      const all: T[] = [];
      for (let page = 1; page <= PAGES_MAX; page++) {
        const paged = `${path}${path.includes('?') ? '&' : '?'}page=${page}&per_page=${PAGE_SIZE}`;
        const { result, result_info: info } = await ask<T[]>(below, headers, 'GET', paged);
        all.push(...result);
        const total =
          info?.total_pages ??
          (info?.total_count !== undefined ? Math.ceil(info.total_count / (info.per_page ?? PAGE_SIZE)) : 1);
        if (page >= total || result.length === 0) return all;
      }
      throw new Problem(`The list ${path} has more than ${PAGES_MAX} pages.`);
    },
  };
}

const HOW = 'run "npx wrangler login", or set CLOUDFLARE_API_TOKEN';

async function authorization(env: NodeJS.ProcessEnv): Promise<Headers> {
  const token = env.CLOUDFLARE_API_TOKEN?.trim();
  // Otherwise the error of `fetch` would show the token.
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw new Problem('CLOUDFLARE_API_TOKEN has characters that no token contains.');
  if (token) return { Authorization: `Bearer ${token}` };
  const said = await runWrangler(['auth', 'token', '--json'], `Sign in to Cloudflare first: ${HOW}.`);
  const found = signInOf(said);
  if (found.token) return { Authorization: `Bearer ${found.token}` };
  return { 'X-Auth-Key': found.key ?? '', 'X-Auth-Email': found.email ?? '' };
}

/** Parses wrangler's sign-in output. An error of `JSON.parse` would quote it. */
function signInOf(said: string): { token?: string; key?: string; email?: string } {
  const found = parseJson(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1));
  if (!isRecord(found)) throw new Problem(`Wrangler did not report how you are signed in to Cloudflare: ${HOW}.`);
  return found;
}

async function onlyAccount(base: string, headers: Headers): Promise<string> {
  const { result } = await ask<{ id: string; name: string }[]>(base, headers, 'GET', '/accounts?per_page=50');
  const [only] = result;
  if (only && result.length === 1) return only.id;
  if (!only)
    throw new Problem(`Your sign-in has access to no Cloudflare account: ${HOW}, and set CLOUDFLARE_ACCOUNT_ID.`);
  const names = result.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
  throw new Problem(`You have several Cloudflare accounts. Set CLOUDFLARE_ACCOUNT_ID to one of them:\n${names}`);
}

interface Answer<T> {
  result: T;
  errors?: { code: number; message: string }[];
  result_info?: { total_pages?: number; total_count?: number; per_page?: number };
}

async function ask<T>(base: string, headers: Headers, method: string, path: string, body?: object): Promise<Answer<T>> {
  const what = `${method} ${path.replace(/\?.*/, '')}`;
  const reply = await fetch(base + path, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Problem(`Cloudflare’s API did not answer ${what}: ${error.message}`);
  });
  const answer = (await reply.json().catch(() => ({}))) as Partial<Answer<T>>;
  if (reply.status === 401 || reply.status === 403) {
    const reasons = (answer.errors ?? []).map(({ message }) => message).join('; ');
    throw new Problem(
      `Cloudflare does not let you do ${what} (${reasons || reply.status}): ${HOW} with permissions for it.`,
    );
  }
  if (!reply.ok) throw new ApiProblem(what, reply.status, answer.errors ?? []);
  return answer as Answer<T>;
}
