import { Lru } from './lru.ts';
import { trimEnd } from './text.ts';
import { TimeLimit } from './time-limit.ts';

/*
 * The only way to fetch a URL from a caller. All rules check the URL as written: a Worker can't pin the address that a
 * name resolves to, so a lookup here would prove nothing. The network refuses private addresses when it connects
 * (docs/adr/0020-outbound-requests.md).
 */

/** Maximum length of a URL in characters. */
export const OUTBOUND_URL_CHARS_MAX = 2_048;
const TIMEOUT_MS = 10_000;
const BYTES_MAX = 1024 * 1024;

export type UrlProblem = { kind: 'invalid_url' | 'private_address'; message: string };

/**
 * Outcome of a request. `message` is safe to show to the caller who gave the URL. `too_large` includes the status and
 * as many bytes as allowed; a failure includes the status if the response had started. The caller decides what they are
 * worth.
 */
export type Outcome =
  | { kind: 'ok' | 'too_large'; status: number; headers: Headers; body: Uint8Array<ArrayBuffer> }
  | { kind: 'redirect'; status: number; location: string | null }
  | { kind: ConnectionFailure | 'timeout'; message: string; status?: number }
  | UrlProblem;

/** Reason for a missing response; `connection_failed` if the runtime gives no details. */
export type ConnectionFailure =
  | 'dns_lookup_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'connection_failed';

export interface OutboundOptions {
  /** Allows http and private addresses; see `areLocalTargetsAllowed`. */
  allowLocal?: boolean;
  /** Limit for the whole exchange, including the body; default 10 s. */
  timeoutMs?: number;
  /** A limit that requests share, instead of `timeoutMs`. */
  limit?: TimeLimit;
  /** Limit for the decoded body; default 1 MiB. */
  bytesMax?: number;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  /** For tests; the default is the global one. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Returns whether callers may use local targets: ALLOW_LOCAL_TARGETS has an effect only if ADMIN_TOKEN marks a local
 * service.
 */
export function areLocalTargetsAllowed(env: { ADMIN_TOKEN?: string; ALLOW_LOCAL_TARGETS?: string }): boolean {
  return env.ALLOW_LOCAL_TARGETS === 'true' && Boolean(env.ADMIN_TOKEN);
}

/**
 * Checks the text of a caller's URL: https (or http with `allowLocal`), no credentials, at most OUTBOUND_URL_CHARS_MAX
 * characters, a web port, and a public host name or address. Returns undefined if it is valid. Makes no request.
 */
export function checkOutboundUrl(url: string, { allowLocal = false } = {}): UrlProblem | undefined {
  const refuse = (message: string): UrlProblem => ({ kind: 'invalid_url', message });
  if (url.length > OUTBOUND_URL_CHARS_MAX) {
    return refuse(`the URL is longer than ${OUTBOUND_URL_CHARS_MAX} characters`);
  }
  const parsed = URL.parse(url);
  if (!parsed) return refuse('the URL is not valid; it must look like https://example.com/path');
  if (parsed.protocol !== 'https:' && !(allowLocal && parsed.protocol === 'http:')) {
    return refuse(`the URL must begin with ${allowLocal ? 'http:// or ' : ''}https://`);
  }
  if (parsed.username || parsed.password) return refuse('the URL must not carry credentials');
  if (!isWebPort(parsed.port)) return refuse(`port ${parsed.port} is not allowed`);
  if (!allowLocal && !isPublicHost(parsed.hostname)) {
    return { kind: 'private_address', message: 'the URL names a private, local or reserved address' };
  }
  return undefined;
}

/**
 * Allows 80, 443 and the ports that applications choose. Other ports below 1,024 belong to mail, shells and databases,
 * where a request can do harm.
 */
function isWebPort(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1_024;
}

/** Names for local use: RFC 6761, RFC 6762 (with appendix G), RFC 8375, and `.internal` (ICANN, 2024). */
const LOCAL_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/**
 * Returns whether a host is public. The URL parser has already decoded percent and IDN forms in `hostname`, and
 * normalized every spelling of an IPv4 address (decimal, octal, hexadecimal, short).
 */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicIpv6(hostname.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return isPublicIpv4(hostname);
  const name = trimEnd(hostname, '.');
  return name.includes('.') && !LOCAL_NAMES.test(name);
}

/**
 * The IANA IPv4 Special-Purpose Address Registry, multicast (224/4) and class E (240/4), as first address and prefix
 * length.
 */
const IPV4_RESERVED: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

function isPublicIpv4(address: string): boolean {
  const number = ipv4Number(address);
  return !IPV4_RESERVED.some(([first, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(number / size) === Math.floor(ipv4Number(first) / size);
  });
}

function ipv4Number(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/**
 * Allows only global unicast (2000::/3) without its reserved parts (IANA IPv6 Special-Purpose Address Registry). This
 * excludes loopback, link-local, unique local, multicast and all forms that embed an IPv4 address: mapped, compatible,
 * NAT64, Teredo and 6to4.
 */
function isPublicIpv6(address: string): boolean {
  const [first = 0, second = 0] = address.split(':').map((group) => Number.parseInt(group || '0', 16));
  if (first < 0x2000 || first > 0x3fff) return false;
  // 2001::/23 protocol assignments (Teredo, ORCHID, benchmarking), 2001:db8::/32 and 3fff::/20 documentation, 2002::/16
  // 6to4.
  if (first === 0x2001) return second >= 0x200 && second !== 0xdb8;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

/**
 * Normalized URLs that passed the check, by the URL as given. The rules depend only on the text, so a result stays
 * valid.
 */
const KNOWN_CHARS_MAX = 500_000;
const known = new Lru<string>(KNOWN_CHARS_MAX);

/** Returns the normalized URL that was checked, or the problem with it. */
function addressOf(url: string, { allowLocal = false }: OutboundOptions): string | UrlProblem {
  const asked = `${allowLocal ? 'local' : 'public'} ${url}`;
  const found = known.get(asked);
  if (found !== undefined) return found;
  const problem = checkOutboundUrl(url, { allowLocal });
  if (problem) return problem;
  const address = new URL(url).href;
  known.set(asked, address, asked.length + address.length);
  return address;
}

/**
 * Requests a caller's URL under the rules of `checkOutboundUrl`, with limits on time and size. Doesn't follow
 * redirects, because each would be a new URL to check. Never rejects: every result is an outcome.
 */
export async function fetchOutbound(url: string, options: OutboundOptions = {}): Promise<Outcome> {
  const address = addressOf(url, options);
  if (typeof address !== 'string') return address;
  const limit = options.limit ?? new TimeLimit(options.timeoutMs ?? TIMEOUT_MS);
  const begun: Begun = {};
  return new Promise((resolve) => {
    const leave = limit.enter(() => {
      const message = `the server did not answer within ${limit.timeoutMs / 1_000} s`;
      resolve({ kind: 'timeout', message, ...begun });
    });
    if (!options.limit) limit.close();
    void exchange(address, options, limit.signal, begun).then((outcome) => {
      leave();
      resolve(outcome);
    });
  });
}

/** Status of a response whose body hasn't arrived yet. */
interface Begun {
  status?: number;
}

async function exchange(
  address: string,
  options: OutboundOptions,
  signal: AbortSignal,
  begun: Begun,
): Promise<Outcome> {
  try {
    const { method = 'GET', headers, body } = options;
    const init = { method, headers, body, redirect: 'manual', signal } as const;
    const response = await (options.fetch ?? fetch)(address, init);
    const { status } = response;
    begun.status = status;
    if ([301, 302, 303, 307, 308].includes(status)) {
      await response.body?.cancel();
      return { kind: 'redirect', status, location: response.headers.get('location') };
    }
    const read = await readUpTo(response, options.bytesMax ?? BYTES_MAX);
    return platformFailure(status, read.body) ?? { status, headers: response.headers, ...read };
  } catch (error) {
    return { ...describeFailure(error), ...begun };
  }
}

async function readUpTo(
  response: Response,
  bytesMax: number,
): Promise<{ kind: 'ok' | 'too_large'; body: Uint8Array<ArrayBuffer> }> {
  if (declaredBytes(response) <= bytesMax) {
    return { kind: 'ok', body: new Uint8Array(await response.arrayBuffer()) };
  }
  const chunks: Uint8Array[] = [];
  let kind: 'ok' | 'too_large' = 'ok';
  let left = bytesMax;
  // Leaving the loop early cancels the stream, and with it the transfer.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk.subarray(0, left));
    if (chunk.length > left) kind = 'too_large';
    left -= Math.min(left, chunk.length);
    if (kind === 'too_large') break;
  }
  return { kind, body: new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer()) };
}

/** Returns the declared length of a body. HTTP enforces it, so such a body needs no reading as a stream. */
function declaredBytes({ headers }: Response): number {
  const length = headers.get('content-length');
  const isAsSent = length !== null && /^\d+$/.test(length) && !headers.has('content-encoding');
  return isAsSent ? Number(length) : Number.POSITIVE_INFINITY;
}

/**
 * A deployed Worker gets status 530 with a Cloudflare error code if a host can't be reached. 1016: the name has no
 * address.
 */
function platformFailure(status: number, body: Uint8Array): Outcome | undefined {
  if (status !== 530) return undefined;
  const code = /error code: (\d{4})/.exec(new TextDecoder().decode(body.subarray(0, 256)))?.[1];
  if (code === '1016') return { kind: 'dns_lookup_failed', message: 'the host name cannot be resolved' };
  return code ? { kind: 'connection_failed', message: 'the server cannot be reached' } : undefined;
}

/** Error messages of workerd. Node, in tests, has codes. */
const FAILURES: [words: RegExp, kind: ConnectionFailure, message: string][] = [
  [/DNS lookup failed|ENOTFOUND|EAI_AGAIN/i, 'dns_lookup_failed', 'the host name cannot be resolved'],
  [/\bTLS\b|\bSSL\b|certificate|ERR_TLS|CERT_/i, 'tls_error', 'no secure connection can be made'],
  [/connection refused|ECONNREFUSED/i, 'connection_refused', 'the server refuses connections'],
  [
    /connection lost|connection reset|disconnected|ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed/i,
    'connection_reset',
    'the server ended the connection without an answer',
  ],
];

function describeFailure(error: unknown): { kind: ConnectionFailure; message: string } {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : '';
  const text = `${String(error)} ${String(cause)} ${String(code)}`;
  const known = FAILURES.find(([words]) => words.test(text));
  if (known) return { kind: known[1], message: known[2] };
  return { kind: 'connection_failed', message: 'the server cannot be reached' };
}
